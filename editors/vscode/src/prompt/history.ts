// The prompts that were sent from this workspace, and the words that were typed and not sent. Pure: where they are kept is given.

/** As `vscode.Memento` has it. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): Thenable<void>;
}

const SENT = 'mewcode.prompts';
const DRAFT = 'mewcode.draft';

const MOST = 100;
const LONGEST = 10_000;

export class History {
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** The newest first. */
  get sent(): string[] {
    const kept = this.#memory.get(SENT);
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : [];
  }

  async add(text: string): Promise<void> {
    if (text.length <= LONGEST) {
      await this.#memory.update(SENT, [text, ...this.sent.filter((one) => one !== text)].slice(0, MOST));
    }
  }

  get draft(): string {
    const kept = this.#memory.get(DRAFT);
    return typeof kept === 'string' ? kept : '';
  }

  async keep(text: string): Promise<void> {
    await this.#memory.update(DRAFT, text === '' ? undefined : text);
  }
}
