"""A plan as people type it into forms: named texts to the campaign file's mapping, and back.

A form's field is named by its place in the mapping (`steps.2.p50`), so that each problem of the
document finds the field it belongs to.
"""
