"""What shimgen must know of one serving stack, as data: the files in `profiles/`, described in docs/profiles.md."""

from __future__ import annotations

import msgspec

from shimgen.model.globs import matches


class Receiver(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An expression through which the engine reaches a model.

    Exactly one of these is given: `expression` (a dotted chain; a leading "*." stands for any prefix or none; calls
    and subscripts inside a chain do not count, so "*.runners.model" is also `self.runners[0].model`), `parameter` (a
    function parameter of that name), `accessor` (a dotted callee whose call returns a model, as written or as
    imported) or `class_variable` (a name bound to the model's class). The first rule that fits an expression wins.
    `paths`, `classes`, `functions` are globs that narrow where the rule holds (all when empty), `except_paths` globs
    where it does not. `role`: "target", "draft", "encoder" or "any". `ambiguous`: the value may be the model or
    something inside it; sites are listed and demand nothing.
    """

    expression: str = ""
    parameter: str = ""
    accessor: str = ""
    class_variable: str = ""
    paths: tuple[str, ...] = ()
    except_paths: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    role: str = "any"
    ambiguous: bool = False


class Interface(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A feature: its members, and globs of the files whose demands belong to it."""

    description: str = ""
    members: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


class External(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A base class outside the checkout: the dotted names it is imported by, and what it provides.
    `complete` false: it may provide more than the list, so a member that is not listed is unknown."""

    names: tuple[str, ...]
    provides: tuple[str, ...] = ()
    complete: bool = True


class Factory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A function that makes a model by the name under which the stack registers its class.

    `function` is its dotted import name, `names` the keyword whose list of strings says which classes are registered
    under them; without that argument, or when it is computed, only run time knows.
    """

    function: str
    names: str


class Models(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where model classes live, which of them the engine can hold, and what tells their shapes apart.

    `paths`: globs of the model files, `except_paths` globs of files among them that are the engine's own.
    `entry_variable`: the module variable that lists a file's entry classes. `registry`: the dotted name of a table
    that maps names to (module, class), modules counted from the registry's folder; its classes are the entries.
    `factories`: the functions that make what is registered.
    `forward_members`: the methods that run a model. `body_parameters`: what the forward of everything that takes
    whole batches accepts. `head_attributes`: what a full model owns and a body does not. `multimodal_members`:
    members that only multimodal models have. `body_attributes`: where plain models keep their body.
    `load_members`: the methods that load weights. `draft_reads`: ends of the chains that only a draft model reads in
    its forward, or of which it reads more, and `draft_parameters` what only a draft model's forward takes.
    `weight_members`: members whose parameters or results carry weights by name.
    """

    paths: tuple[str, ...] = ()
    except_paths: tuple[str, ...] = ()
    entry_variable: str = ""
    registry: str = ""
    factories: tuple[Factory, ...] = ()
    forward_members: tuple[str, ...] = ("forward",)
    load_members: tuple[str, ...] = ("load_weights",)
    body_parameters: tuple[str, ...] = ()
    head_attributes: tuple[str, ...] = ()
    multimodal_members: tuple[str, ...] = ()
    body_attributes: tuple[str, ...] = ("model",)
    draft_reads: tuple[str, ...] = ()
    draft_parameters: tuple[str, ...] = ()
    weight_members: tuple[str, ...] = ()


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A member that no delegate provides, assembled from parts that are shown to be there.

    It answers `member`, a method with `parameters`, by `code`, which may name modules in `names` that the wrapper's
    module must bind. Chains are relative to the wrapper and write "{delegate}" for the attribute of the delegate.
    `delegate` are attributes that every candidate's constructor must assign, `wrapper` those that the wrapper's own
    constructor must assign and its forward read. `returns` are the chains whose values are returned, in order;
    `writes` maps a chain to the parameter that it must hold afterwards: the proof, and what full models of the
    checkout must do as well for the recipe to hold.
    """

    member: str
    code: str
    parameters: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    delegate: tuple[str, ...] = ()
    wrapper: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()
    writes: dict[str, str] = {}
    description: str = ""


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One serving stack.

    `package` is the top-level package; `roots` the prefixes under which it may stand in a checkout ("" or
    "python/"); `recognise` files, relative to the package's folder, that tell the stack. All other globs match paths
    from the folder that contains the package. `engine`: the files searched for demands; model files and `exclude`
    are left out. `hooks`: members that switch behaviour when probed. `predicates`: globs of functions that answer
    what a model can do (`supports_lora(model)`). `protocols`: globs of the model files whose protocols are declared
    interfaces: a model supports one only by having it as a base. `ignore`: members that are no demand; the name of an
    external stands for all that it provides.
    """

    name: str
    package: str = ""
    description: str = ""
    roots: tuple[str, ...] = ("",)
    recognise: tuple[str, ...] = ()
    engine: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    models: Models = Models()
    receivers: tuple[Receiver, ...] = ()
    interfaces: dict[str, Interface] = {}
    externals: dict[str, External] = {}
    hooks: tuple[str, ...] = ()
    predicates: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    recipes: dict[str, Recipe] = {}


def is_model(package_path: str, models: Models) -> bool:
    """Whether a file, by its path from the folder that contains the package, holds models."""
    return matches(package_path, models.paths) and not matches(package_path, models.except_paths)


def is_searched(package_path: str, profile: Profile) -> bool:
    """Whether demands are searched in the file: engine code, but neither excluded nor a model's own."""
    engine = matches(package_path, profile.engine) and not matches(package_path, profile.exclude)
    return engine and not is_model(package_path, profile.models)
