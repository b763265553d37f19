"""Swiss pairs: who meets whom in the next round, why, and whether that is right.

Read it in this order:

    field           pairs, earlier rounds, tables; the standings order
    pairing         draws a round: the bye, who meets whom, directions
    matching        finds the best pairing
    certificate     what was drawn, what it is worth, and a reason for every pair
    verification    checks a certificate without the code that drew the round
"""

from bridge.swiss.certificate import PAIR_PARAMS, PROOFS, Certificate, Proof, Reason, certify
from bridge.swiss.field import Entrant, PairingError, PlayedRound, Round, Table, standings_order
from bridge.swiss.pairing import pair_round
from bridge.swiss.verification import Fault, verify

__all__ = [
    "PAIR_PARAMS",
    "PROOFS",
    "Certificate",
    "Entrant",
    "Fault",
    "PairingError",
    "PlayedRound",
    "Proof",
    "Reason",
    "Round",
    "Table",
    "certify",
    "pair_round",
    "standings_order",
    "verify",
]
