// Marks on the real lines of hunks: background, sign in the gutter, overview ruler, hover. VS Code moves them with the text;
// each list of the server draws them anew.

import * as vscode from 'vscode';
import { diffText, lookOf, type Look, type Mark, type Sign } from './look.ts';
import type { Placed } from './order.ts';
import type { Places } from './places.ts';

/** What was drawn last in the editors of a document. */
export interface Drawn {
  id: string;
  look: Look;
}

const SIGNS: readonly Sign[] = ['add', 'remove', 'change', 'conflict'];

export class Drawing implements vscode.Disposable {
  readonly #places: Places;
  readonly #marks: Record<Mark, vscode.TextEditorDecorationType>;
  readonly #signs: Record<Sign, vscode.TextEditorDecorationType>;
  readonly #drawn = new WeakMap<vscode.TextEditor, readonly Drawn[]>();
  readonly #listening: vscode.Disposable;

  constructor(places: Places, media: vscode.Uri) {
    this.#places = places;
    this.#marks = {
      removed: lines('diffEditor.removedLineBackground', 'editorGutter.deletedBackground'),
      added: lines('diffEditor.insertedLineBackground', 'editorGutter.addedBackground'),
      conflict: lines('merge.incomingContentBackground', 'editorWarning.foreground'),
    };
    const sign = (name: Sign, color: string) =>
      vscode.window.createTextEditorDecorationType({
        gutterIconPath: vscode.Uri.joinPath(media, `hunk-${name}.svg`),
        gutterIconSize: 'contain',
        overviewRulerColor: new vscode.ThemeColor(color),
        overviewRulerLane: vscode.OverviewRulerLane.Left,
      });
    this.#signs = {
      add: sign('add', 'editorOverviewRuler.addedForeground'),
      remove: sign('remove', 'editorOverviewRuler.deletedForeground'),
      change: sign('change', 'editorOverviewRuler.modifiedForeground'),
      conflict: sign('conflict', 'editorOverviewRuler.warningForeground'),
    };
    this.#listening = vscode.Disposable.from(
      places.onDidTell((uri) => {
        for (const editor of vscode.window.visibleTextEditors) {
          if (editor.document.uri.toString() === uri.toString()) {
            this.#draw(editor);
          }
        }
      }),
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        for (const editor of editors) {
          this.#draw(editor);
        }
      }),
      ...Object.values(this.#marks),
      ...Object.values(this.#signs),
    );
  }

  /** What was drawn last in an editor. */
  in(editor: vscode.TextEditor): readonly Drawn[] {
    return this.#drawn.get(editor) ?? [];
  }

  dispose(): void {
    this.#listening.dispose();
  }

  #draw(editor: vscode.TextEditor): void {
    const { document } = editor;
    const placed = this.#places.of(document.uri);
    if (placed.length === 0 && this.in(editor).length === 0) {
      return;
    }
    const drawn = placed.map((one) => ({ placed: one, look: lookOf(one, document.lineCount) }));
    for (const [mark, type] of Object.entries(this.#marks)) {
      const marked = drawn.filter(({ look }) => look.mark === mark);
      editor.setDecorations(
        type,
        marked.map(({ look }) => ({ range: rangeOf(look, document) })),
      );
    }
    for (const sign of SIGNS) {
      const signed = drawn.filter(({ look }) => look.sign === sign);
      editor.setDecorations(
        this.#signs[sign],
        signed.map((one) => ({ range: rangeOf(one.look, document), hoverMessage: hoverOf(one.placed) })),
      );
    }
    this.#drawn.set(
      editor,
      drawn.map(({ placed: { hunk }, look }) => ({ id: hunk.id, look })),
    );
  }
}

/** Whole lines. The bar at their beginning is there for themes that give no background. */
function lines(background: string, bar: string): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor(background),
    borderStyle: 'solid',
    borderWidth: '0 0 0 2px',
    borderColor: new vscode.ThemeColor(bar),
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
}

function rangeOf({ first, last }: Look, document: vscode.TextDocument): vscode.Range {
  return new vscode.Range(new vscode.Position(first, 0), document.lineAt(last - 1).range.end);
}

/** The whole hunk, where the block below is folded away. */
function hoverOf({ hunk }: Placed): vscode.MarkdownString {
  const hover = new vscode.MarkdownString();
  if (hunk.file === undefined) {
    hover.appendCodeblock(diffText(hunk), 'diff');
  } else {
    hover.appendText(hunk.title ?? '');
  }
  return hover;
}
