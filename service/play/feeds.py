"""What a player's feed reader and calendar may see behind a secret address: turns and deadlines."""

from __future__ import annotations

from itsdangerous import BadSignature, URLSafeSerializer

from service.play import browse
from service.play.browse import MatchLine
from service.play.house import House


def address(house: House, player_id: int) -> str:
    """The secret beginning of a player's feed addresses."""
    return f"{house.settings.public_url}/feed/{_signer(house).dumps(player_id)}"


def waiting(house: House, token: str) -> tuple[MatchLine, ...] | None:
    """The matches that wait for the player whose address this is; None if it is nobody's."""
    try:
        player_id = _signer(house).loads(token)
    except BadSignature:
        return None
    return tuple(line for line in browse.my_matches(house, player_id) if line.my_turn and line.state == "running")


def _signer(house: House) -> URLSafeSerializer:
    return URLSafeSerializer(house.settings.secret, salt="feed")
