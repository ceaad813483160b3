// A field for words that go with an answer. What is typed is not lost when the field is closed, nor when the question goes
// meanwhile: then the field stays and says so, and sends nothing.

import * as vscode from 'vscode';
import type { Questions } from './questions.ts';

const GONE = 'This question was answered elsewhere, or is no longer asked: nothing of this is sent.';

export interface Words {
  title: string;
  prompt: string;
  placeholder: string;
  /** Whether there must be some. */
  required: boolean;
  /** What was typed before and not sent. */
  text: string;
  typed: (text: string) => void;
}

/** The words, trimmed; undefined if the field was closed or the question has gone. */
export async function askWord(questions: Questions, id: string, about: Words): Promise<string | undefined> {
  const input = vscode.window.createInputBox();
  input.title = about.title;
  input.prompt = about.prompt;
  input.placeholder = about.placeholder;
  input.value = about.text;
  input.valueSelection = [about.text.length, about.text.length];
  input.ignoreFocusOut = true;
  const mark = (): void => {
    if (!questions.find(id)) {
      input.validationMessage = { message: GONE, severity: vscode.InputBoxValidationSeverity.Error };
    }
  };
  mark();
  return new Promise((resolve) => {
    const listening = [
      questions.onDidChange(mark),
      input.onDidChangeValue(about.typed),
      input.onDidAccept(() => {
        const words = input.value.trim();
        if (!about.required || words !== '') {
          resolve(questions.find(id) ? words : undefined);
          input.hide();
        }
      }),
      input.onDidHide(() => {
        resolve(undefined);
        for (const one of [...listening, input]) {
          one.dispose();
        }
      }),
    ];
    input.show();
  });
}
