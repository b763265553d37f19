"""Contract bridge as pure functions and frozen values. It knows no framework, no clock, no files.

Read it in this order:

    seats, cards        who sits where; cards, hands, deals
    contracts           what was played, and the ways people write it
    auction             calls: which are legal, who declares (Laws 17 to 22)
    play                cards: which are legal, who wins the trick (Laws 41 to 45)
    scoring             what it is worth (Law 77)
    awards              what a director gives instead (Law 12C)
    table               one board at a table: everything that is done there, and who may see what of it
    disconnects         what follows when a player leaves a board
    doubts              what about a result makes one ask whether it was written down right
    imps, matchpoints   two ways to compare scores (Law 78)
    datum               what scores are compared with when the field is the yardstick
    comparison          the one door: the results of boards and a method -> points for every row
    standings           totals -> ranks
    swiss               standings -> who meets whom in the next round, and why
    masterpoints        ranks -> master points, master points -> titles
    vps, high_cards     team matches; the single board
    formats             records in and out: USEBIO, PBN
"""
