"""A made-up season that shows every page at work: people, deals with their double-dummy tables, events, results.

names       who plays
play        how a board goes at a table
season      which events there were and what happened in them: plain values, the same for the same date
load        writes a season down through the services that every other result comes through

And a field of simulated pairs that plays an event that runs itself, while it runs:

cast        who plays
script      what they do, decided by a seed alone
timekeeping a clock where there is none, and how late its steps came
simulation  does what the script says, through the services that people use
evening     keeps one such event going in the demo
digest      what came of an event, in words that two runs of one seed share
"""
