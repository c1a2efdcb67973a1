"""What reports to Punktum from inside other people's trainers; each module is imported by its name.

``import punktum`` loads none of them, and none of them loads a framework that is not in use.
"""
