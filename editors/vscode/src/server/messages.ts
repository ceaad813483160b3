// What the server says and asks by `window/showMessage`, shown as text: the library would let VS Code make links of it.

import * as vscode from 'vscode';
import type {
  LanguageClient,
  MessageActionItem,
  ShowMessageParams,
  ShowMessageRequestParams,
} from 'vscode-languageclient/node';
import { MessageType, ShowMessageNotification, ShowMessageRequest } from 'vscode-languageclient/node';
import { notification, plain } from '../ui/plain.ts';

const SPEAKER = 'MewCode: ';

/** As this extension says it. The server names a setting by where it got it from; here that is the settings. */
function inOurWords(message: string): string {
  const words = message.replace(/\binitializationOptions\.(?=\w)/g, 'the setting mewcode.');
  return words.startsWith(SPEAKER) ? notification(words.slice(SPEAKER.length)) : plain(words);
}

function show<T extends vscode.MessageItem>(
  type: MessageType,
  message: string,
  items: T[],
): Thenable<T | undefined> {
  const text = inOurWords(message);
  switch (type) {
    case MessageType.Error:
      return vscode.window.showErrorMessage(text, ...items);
    case MessageType.Warning:
      return vscode.window.showWarningMessage(text, ...items);
    case MessageType.Info:
    case MessageType.Log:
    case MessageType.Debug:
      return vscode.window.showInformationMessage(text, ...items);
  }
}

/** Takes over the two methods of a client that is not started yet. */
export function showMessages(client: LanguageClient): void {
  client.onNotification(ShowMessageNotification.type, ({ type, message }: ShowMessageParams) => {
    void show(type, message, []);
  });
  client.onRequest(
    ShowMessageRequest.type,
    async ({ type, message, actions }: ShowMessageRequestParams): Promise<MessageActionItem | null> =>
      (await show(type, message, actions ?? [])) ?? null,
  );
}
