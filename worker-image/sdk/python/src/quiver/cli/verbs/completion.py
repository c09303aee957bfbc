"""A script that completes verbs, names and flags.

  kubectl quiver completion bash > /etc/bash_completion.d/kubectl-quiver      (for the command kubectl-quiver)
  kubectl quiver completion kubectl > ~/bin/kubectl_complete-quiver           (for kubectl quiver; chmod +x, in $PATH)
"""

import argparse
import importlib

from quiver.cli import kinds, program
from quiver.cli.errors import CliError

_SCRIPTS = {
    "bash": """_kubectl_quiver() {
    local IFS=$'\\n'
    COMPREPLY=($(kubectl-quiver __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null | grep -v '^:'))
}
complete -o default -F _kubectl_quiver kubectl-quiver""",
    "zsh": """#compdef kubectl-quiver
_kubectl_quiver() {
    local -a found
    found=("${(@f)$(kubectl-quiver __complete "${(@)words[2,CURRENT]}" 2> /dev/null | grep -v '^:')}")
    compadd -a found
}
compdef _kubectl_quiver kubectl-quiver""",
    "fish": """complete -c kubectl-quiver -f -a \
'(kubectl-quiver __complete (commandline -opc)[2..] (commandline -ct) 2> /dev/null | string match -v ":*")'""",
    "kubectl": """#!/bin/sh
# kubectl asks this program, by its name in $PATH, for the completions of kubectl quiver.
exec kubectl-quiver __complete "$@\"""",
}
_OBJECTS = {"status": kinds.ALL, "suspend": kinds.ALL, "resume": kinds.ALL, "cancel": kinds.RUNS, "wait": kinds.RUNS,
            "scale": (kinds.TASK_SET, kinds.WORKER_POOL), "tasks": kinds.RUNS, "failures": kinds.RUNS, "logs": kinds.RUNS,
            "results": kinds.RUNS, "open": kinds.RUNS, "retry": (kinds.TASK_SET,), "undo": (kinds.TASK,)}


def arguments(parser):
    parser.add_argument("shell", choices=tuple(_SCRIPTS))


def run(parsed):
    print(_SCRIPTS[parsed.shell])


def candidates(words):
    """Prints what the last of the words may become, a line for each, and the directive that kubectl reads."""
    begun = words[-1] if words else ""
    verb, rest = program.split([*words[:-1]])
    if verb is None:
        found = list(program.VERBS)
    elif verb not in program.VERBS:
        found = []
    elif begun.startswith("-"):
        found = _flags(verb)
    elif verb == "completion":
        found = list(_SCRIPTS)
    else:
        found = _names(verb, rest)
    for one in found:
        if one.startswith(begun):
            print(one)
    print(":4")  # of cobra: no names of files


def _flags(verb):
    parser = program.Parser(prog=verb, parents=[program.shared()])
    importlib.import_module(f"quiver.cli.verbs.{verb}").arguments(parser)
    return [flag for action in parser._actions for flag in action.option_strings]


def _names(verb, rest):
    """Objects of the namespace; nothing where the cluster does not say."""
    flags = argparse.Namespace(**vars(program.shared().parse_known_args(rest)[0]))
    try:
        api = program.api(flags)
        api.timeout = 3.0
        return [kinds.label(kind, one) for kind, one in kinds.selected(api, None, _OBJECTS.get(verb, ()))]
    except CliError:
        return []
