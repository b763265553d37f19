"""What `results` announces, after commit and by ids only; and one question that it asks."""

from django.dispatch import Signal

results_changed = Signal()  # field_id: results of the field were recorded or changed
result_corrected = Signal()  # change_id: a result was changed after it was recorded, and why stands with it
field_compared = Signal()  # field_id: points of the field were written
correction_asked = Signal()  # results, user: may this director correct these, by id? a receiver may refuse
