"""Records in and out.

records       what a file says, whatever its format
text          bytes -> text, in the encoding that was declared
usebio, pbn   whole events and single boards in, and out again
lin           single boards in and out
published     by which rules the figures of a file were made, and which of them no rule explains
"""
