// Where the server's code actions stand in VS Code's menu, which goes by kinds: decisions and answers come first, not behind what
// else could be asked for. Changes what is shown, never what a key that is bound to a kind finds.

import * as vscode from 'vscode';

/** The kinds of decisions and answers. VS Code does not know them, and shows the likes of them last. */
const OWN = 'mewcode.';

/** Gives them a kind that VS Code shows first, below which they keep their own. None is preferred: nothing is done unseen. */
export function decisionsFirst(
  actions: (vscode.Command | vscode.CodeAction)[],
): (vscode.Command | vscode.CodeAction)[] {
  for (const action of actions) {
    if (action instanceof vscode.CodeAction && action.kind?.value.startsWith(OWN)) {
      action.kind = vscode.CodeActionKind.QuickFix.append(action.kind.value);
    }
  }
  return actions;
}
