"""Names of all keys. What must change together shares a hash tag, so that one script may touch it, on a cluster too."""

import zlib

PREFIX = "croupier"
SHARDS = f"{PREFIX}:shards"  # how many there are, fixed at the first start
MOST_SHARDS = 1024
PULSE = f"{PREFIX}:pulse"  # written before a WAIT for replicas, and forgotten
NOTES = f"{PREFIX}:notes"  # channel: something is new for a player
OFFERS = f"{PREFIX}:{{bots}}:offers"  # hash: player -> standing offer
BOOKED = f"{PREFIX}:{{bots}}:booked"  # sorted by name: "player|match" for every seat that an offer was used for
STREAMS = f"{PREFIX}:{{bots}}:streams"  # the number of the stream of a bot that was opened last
MEMBERS = f"{PREFIX}:{{clock}}:members"  # sorted by server ms until which they are known: processes that lead shards


def shard_of(match: str, shards: int) -> int:
    """The shard that a match belongs to."""
    return zlib.crc32(match.encode()) % shards


class ShardKeys:
    """The keys of one shard, each with the shard's tag."""

    def __init__(self, shard: int) -> None:
        tag = f"{PREFIX}:{{s{shard}}}"
        self._match = f"{tag}:match:"
        self.deadlines = f"{tag}:deadlines"  # sorted by server ms: matches that the clock has to look at
        self.open = f"{tag}:open"  # sorted by creation, ms: open public matches
        self.guarded = f"{tag}:guarded"  # hash: match -> its chairs, of those that run and where bots may stand in
        self.channel = f"{tag}:changes"
        self.leader = f"{tag}:leader"  # who fires the deadlines, and by which token; lapses
        self.fence = f"{tag}:fence"  # the last token that was given out

    def match(self, match: str) -> str:
        """The record: a hash."""
        return self._match + match

    def log(self, match: str) -> str:
        """The log: a list, of which the first entry is that of version 1."""
        return f"{self._match}{match}:log"

    def present(self, match: str) -> str:
        """Who is there: "player name" for a stream, "player" for calls, sorted by the ms until which that is known."""
        return f"{self._match}{match}:present"


def tag_of(key: str) -> str:
    """What decides where a key lives."""
    return key.partition("{")[2].partition("}")[0] or key


def once(key: str, name: str) -> str:
    """The answer to a call of that name, beside a key."""
    return f"{PREFIX}:once:{{{tag_of(key)}}}:{name}"


ALL_MATCHES = f"{PREFIX}:{{s*}}:match:*"  # every record, among other keys of matches


def match_of(key: str) -> str | None:
    """The match that a key is the record of; None if it is something else."""
    name = key.partition(":match:")[2]
    return None if ":" in name else name


def token(digest: str) -> str:
    """Hash of a token -> player id."""
    return f"{PREFIX}:token:{digest}"


def ticket(digest: str) -> str:
    """Hash of a ticket -> player id and match."""
    return f"{PREFIX}:ticket:{digest}"


def player(player_id: str) -> str:
    """A player: a hash."""
    return f"{PREFIX}:player:{player_id}"


def live(player_id: str) -> str:
    """Matches that a player may sit in, sorted by when he sat down, ms; holds too many rather than too few."""
    return f"{PREFIX}:player:{player_id}:live"


def hosting(player_id: str) -> str:
    """Matches that a player hosts and that have not started, sorted by when they expire, ms."""
    return f"{PREFIX}:player:{player_id}:hosting"


def past(player_id: str) -> str:
    """Matches of a player that are done, sorted by creation, ms."""
    return f"{PREFIX}:player:{player_id}:past"


def creation(player_id: str, request: str) -> str:
    """A player's request to create a match -> the match's id and the request's fingerprint."""
    return f"{PREFIX}:player:{player_id}:creation:{request}"


def bucket(limit: str, who: str) -> str:
    """A token bucket."""
    return f"{PREFIX}:bucket:{limit}:{who}"
