"""Why a gap is refused."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Why a gap is refused. The value is the sentence that the user reads; fields are filled from `Gap.detail`."""

    ABSENT = "{delegate} does not have {member} either"
    HOLLOW = "{provider} answers {member} with its {chain}, and {lacking} has no such thing"
    PARTIAL = "only some candidates of {attribute} have {member}: {lacking} lacks it, so a probe would lie"
    UNKNOWN_DELEGATE = "the class of {attribute} is known only at run time: {why}"
    EXTERNAL = "{base} is defined outside the checkout and may or may not provide {member}"
    DYNAMIC = "{wrapper} resolves attributes by a method of its own, so {member} may already be there"
    COMPUTED = "{wrapper} sets attributes by names that it computes at {site}, so {member} may already be there"
    REMADE = "{maker} ({site}) changes {owner} after its statement, and with it perhaps {member}"
    SIGNATURES = "the candidates of {attribute} define {member} with signatures that differ: {signatures}"
    KINDS = "the candidates of {attribute} define {member} as different kinds of member: {kinds}"
    BINDING = "the call at {site} does not bind to {signature}"
    DECORATED = "{member} is decorated with {decorator}, and a forward would not carry what that does"
    NAME_SPACE = "{member} carries weight or module names ({evidence}), which behind {attribute} need its prefix"
    DEAD_WRITE = "{member} writes {written}, which {wrapper}'s forward never reads on the way through {attribute}"
    TWO_STATES = (
        "{member} works on {written} of {attribute}, but {wrapper} keeps its own {written} and reads it at {reader}"
    )
    FORWARD_UNKNOWN = (
        "the path that {wrapper}'s forward takes through {attribute} could not be followed ({why}), "
        "so {written} may be written in vain"
    )
    BODY_MEANING = (
        "{delegate} is a body, and {member} sets state there from arguments that a full model may translate first"
    )
    BYPASS = "{member} runs {attribute} on a whole batch, past what {wrapper}'s own forward does before that"
    DEFAULT = "{parameter} of {member} defaults to {default}, which does not mean the same in {path}"
    CONFIG = (
        "{member} is asked of the class with the outer config, "
        "and how {wrapper} projects it for {delegate} is not shown"
    )
    PROJECTED = "{delegate} keeps the {member} that it was made with, {given}, which is not the {member} of {wrapper}"
    SHARED = "the forward would stand on {owner}, where {other} inherits it, and there it is wrong: {why}"
    ASSIGNED = "the engine assigns {member} at {site}, and a forward would hide that assignment"
    HOOK = "{member} is a hook that a probe switches on ({site}); {why}"
    SHADOWS = "{wrapper} also sets {member} itself at {site}"
    ASKED = "{wrapper} asks itself at {site} whether it has {member}, and a forward would change the answer"
    KIND = "{member} is {a} {kind}, which shimgen does not forward"
    PLACE = "{wrapper} has no place where a member can be inserted safely: {why}"
    GATHERED = (
        "where {member} is missing the engine {how} of the model at {site}, "
        "and a forward would give that of {attribute} alone"
    )
    UNSUPPORTED = "{lacking} does not support {member} either"
    MARK = "{member} is only a mark: nothing in it says what {wrapper} must be able to do"
    RESULT = (
        "{wrapper}'s forward at {site} does not hand back what {attribute} gives as it is, which {member} may change"
    )
    OWN_MEMBER = "{own}{signature} at {place} does not take what {member} says that callers pass"
    INTERFACE = "{wrapper} cannot take up {member}: {why}"
    CALL_BINDS = "the engine's call at {site} does not bind to {owner}.{member}{signature} at {place}"
    CALLED_VALUE = "the engine calls {member} at {site}, which cannot be called: {owner} has it as {kind} at {place}"
    READ_METHOD = (
        "the engine reads {member} as a value at {site}, as {delegate} has it, and at {place} it is a method of {owner}"
    )
    TARGET_GONE = "{owner}.{member} goes to {chain} at {place}, and there is no {target} on {lacking}"
    TARGET_BINDING = "{owner}.{member} calls {chain} at {place} with arguments that {delegate}{signature} does not take"
    TARGET_KIND = "{owner}.{member} {does} {chain} at {place}, which {delegate} has as {kind}"
    NOT_PASSED_ON = (
        "{owner}.{member} at {place} takes {parameter} and does not hand it on to {delegate}, which takes it"
    )
    NEAR_NAME = (
        "the engine asks for {wanted} at {site}, which {wrapper} lacks, and nobody asks for {owner}.{member} at {place}"
    )
    OLD_NAME = (
        "nobody asks for {owner}.{member} at {place}: the engine asks for {wanted} at {site}, "
        "which {owner} takes from {protocol}"
    )
    DUPLICATE = "{owner} defines {member} at {place} and again at {other}, so the first definition is dead"
    STALE_COPY = (
        "{owner} copies {chain} once at {place}, and {delegate} sets it again at {site}, which the copy does not see"
    )
