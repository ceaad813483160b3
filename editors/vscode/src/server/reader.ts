// What comes from the server, until it has shown that it is one: output that is not the protocol, and an answer to `initialize`
// that does not fit, end the conversation before anything is run. Knows nothing of VS Code.

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { DataCallback, Disposable, InitializeResult, Message } from 'vscode-languageclient/node';
import { StreamMessageReader } from 'vscode-languageclient/node';

const HEADER = 'content-';
/** JSON-RPC's code of a failed request. */
const REQUEST_FAILED = -32803;
const SHOWN_CHARACTERS = 200;

export interface Watch {
  /** Judges the answer to `initialize`; a sentence if it does not fit. */
  judge: (result: InitializeResult) => string | undefined;
  /** Told once what came instead of the protocol. */
  garbage: (text: string) => void;
}

export class WatchedReader extends StreamMessageReader {
  readonly #output: ChildProcessWithoutNullStreams['stdout'];
  readonly #watch: Watch;
  #isKnown = false;
  #start = '';

  constructor(output: ChildProcessWithoutNullStreams['stdout'], watch: Watch) {
    super(output);
    this.#output = output;
    this.#watch = watch;
  }

  override listen(callback: DataCallback): Disposable {
    const listening = super.listen((message) => {
      callback(this.#isKnown ? message : this.#first(message));
    });
    this.#output.on('data', this.#look);
    return listening;
  }

  /** The first bytes must be those of a header. */
  readonly #look = (chunk: Buffer): void => {
    this.#start += chunk.toString('utf8').slice(0, SHOWN_CHARACTERS);
    const begins = this.#start.slice(0, HEADER.length).toLowerCase();
    if (begins !== HEADER.slice(0, begins.length)) {
      this.#output.off('data', this.#look);
      this.#watch.garbage(this.#start.slice(0, SHOWN_CHARACTERS).trim());
    } else if (begins.length === HEADER.length) {
      this.#output.off('data', this.#look);
    }
  };

  /** Only one request is under way until the answer to `initialize` is here. */
  #first(message: Message): Message {
    if (!('result' in message) || !('id' in message)) {
      return message;
    }
    this.#isKnown = true;
    const fault = this.#watch.judge(message.result as InitializeResult);
    if (fault === undefined) {
      return message;
    }
    const error = { code: REQUEST_FAILED, message: fault };
    return { jsonrpc: message.jsonrpc, id: message.id, error } as Message;
  }
}
