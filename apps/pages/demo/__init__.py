"""A made-up season that shows every page at work: people, deals with their double-dummy tables, events, results.

names       who plays
play        how a board goes at a table
season      which events there were and what happened in them: plain values, the same for the same date
load        writes a season down through the services that every other result comes through
"""
