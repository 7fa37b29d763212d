"""`puredelta completion`: what a shell needs to complete commands, options and folders."""

import click
from click.shell_completion import get_completion_class

_VARIABLE = "_PUREDELTA_COMPLETE"


# The backspace keeps the lines as they are.
_HOW = """\b
bash: puredelta completion bash >> ~/.bashrc
zsh:  puredelta completion zsh >> ~/.zshrc
fish: puredelta completion fish > ~/.config/fish/completions/puredelta.fish
"""


@click.command(epilog=_HOW)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script with which a shell completes commands, options and folders."""
    made = get_completion_class(shell)
    root = context.find_root().command
    if made is not None:
        click.echo(made(root, {}, "puredelta", _VARIABLE).source())
