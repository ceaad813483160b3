// The page of a transcript: shows the pieces that it is told, follows the end unless the reader went elsewhere, and asks for what
// the reader chooses to be opened. Runs in the web view. Knows nothing but these messages.

import type { FromPage, PageState, ToPage } from './messages.ts';
import { render } from './render.ts';

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage): void;
  getState(): PageState | undefined;
  setState(state: PageState): void;
};

/** So long it may take at a time to render what is not rendered yet. */
const SLICE_MILLISECONDS = 8;
/** From the end of the page, to be at its end. */
const NEAR_PIXELS = 40;
const ASK_MILLISECONDS = 50;
const MOST_ASKED = 200;
const KEEP_MILLISECONDS = 1000;
const KEPT_CHARACTERS = 500_000;

interface Piece {
  text: string;
  element: HTMLElement;
  isRendered: boolean;
}

const vscode = acquireVsCodeApi();
const main = element('text');
const outputs = element('outputs');
const note = element('note');
const toEnd = element('end');
const scroller = document.documentElement;

const pieces: Piece[] = [];
/** Those that are not rendered yet, the ones nearer to the end last. */
let waiting: Piece[] = [];
let isRendering = false;
let following = true;
/** Where the reader was before the page was hidden. */
let goal = vscode.getState()?.scroll;
/** What may name a file, with the places that it is to be a link in. */
const unknown = new Map<string, HTMLElement[]>();
const asked = new Set<string>();
let asking: ReturnType<typeof setTimeout> | undefined;
let keeping: ReturnType<typeof setTimeout> | undefined;

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) {
    throw new Error(`the page has no ${id}`);
  }
  return found;
}

function takePieces(from: number, texts: readonly string[]): void {
  const open = pieces
    .slice(from)
    .map(({ element: old }) => [...old.querySelectorAll('details')].map((one) => one.open));
  for (const { element: old } of pieces.splice(from)) {
    old.remove();
  }
  const added = texts.map((text): Piece => {
    const section = document.createElement('section');
    return { text, element: section, isRendered: false };
  });
  pieces.push(...added);
  main.append(...added.map((piece) => piece.element));
  waiting = [...waiting.filter((piece) => piece.element.isConnected), ...added];
  // What the reader has unfolded stays so.
  for (const [index, flags] of open.entries()) {
    const piece = added[index];
    if (piece && flags.includes(true)) {
      draw(piece);
      for (const [place, details] of piece.element.querySelectorAll('details').entries()) {
        details.open = flags[place] ?? false;
      }
    }
  }
  renderSome();
  keepSoon();
}

function draw(piece: Piece): void {
  if (!piece.isRendered) {
    piece.isRendered = true;
    // Of our own making: the text in it is escaped.
    piece.element.innerHTML = render(piece.text);
    askFiles(piece.element);
  }
}

/** From the end upwards, for that is what is seen first. */
function renderSome(): void {
  isRendering = true;
  const begun = performance.now();
  while (waiting.length > 0 && performance.now() - begun < SLICE_MILLISECONDS) {
    const piece = waiting.pop();
    if (piece) {
      draw(piece);
    }
  }
  goOn();
  isRendering = waiting.length > 0;
  if (isRendering) {
    setTimeout(renderSome, 0);
  }
}

/** To the end, for a reader who is there; or to where the reader was, when there is so much. */
function goOn(): void {
  if (goal !== undefined) {
    if (waiting.length === 0 && scroller.scrollHeight - innerHeight >= goal) {
      scroller.scrollTop = goal;
      goal = undefined;
      following = isAtEnd();
    }
  } else if (following) {
    scroller.scrollTop = scroller.scrollHeight;
  }
  toEnd.hidden = following || isAtEnd();
}

function isAtEnd(): boolean {
  return scroller.scrollHeight - scroller.scrollTop - innerHeight < NEAR_PIXELS;
}

/** Collects what may name a file; the extension is asked for many at once. */
function askFiles(within: HTMLElement): void {
  for (const span of within.querySelectorAll<HTMLElement>('span[data-path]')) {
    const path = span.dataset['path'] ?? '';
    const spans = unknown.get(path);
    if (spans) {
      spans.push(span);
    } else {
      unknown.set(path, [span]);
    }
  }
  if (unknown.size > 0) {
    asking ??= setTimeout(() => {
      asking = undefined;
      const paths = [...unknown.keys()].filter((path) => !asked.has(path)).slice(0, MOST_ASKED);
      for (const path of paths) {
        asked.add(path);
      }
      if (paths.length > 0) {
        vscode.postMessage({ kind: 'askFiles', paths });
      }
    }, ASK_MILLISECONDS);
  }
}

function takeFiles(paths: readonly string[], found: readonly string[]): void {
  const files = new Set(found);
  for (const path of paths) {
    for (const span of files.has(path) ? (unknown.get(path) ?? []) : []) {
      const link = document.createElement('a');
      link.href = '#';
      link.dataset['target'] = path;
      link.title = path;
      link.textContent = span.textContent;
      span.replaceWith(link);
    }
    unknown.delete(path);
    asked.delete(path);
  }
  if (unknown.size > 0) {
    askFiles(document.createElement('p'));
  }
}

function takeState(message: Extract<ToPage, { kind: 'state' }>): void {
  outputs.textContent = message.outputs
    .map(({ title, lines }) => [title, ...lines.map((line) => `  ${line}`)].join('\n'))
    .join('\n');
  outputs.hidden = message.outputs.length === 0;
  note.textContent = message.note;
  goOn();
}

/** Keeps what is shown for a window that is loaded again, when nothing has changed for a while. */
function keepSoon(): void {
  clearTimeout(keeping);
  keeping = setTimeout(keep, KEEP_MILLISECONDS);
  document.body.dataset['kept'] = 'false';
}

function keep(): void {
  const text = pieces
    .map((piece) => piece.text)
    .join('')
    .slice(-KEPT_CHARACTERS);
  const state: PageState = { session: document.body.dataset['session'] ?? '', text };
  if (!following) {
    state.scroll = scroller.scrollTop;
  }
  vscode.setState(state);
  document.body.dataset['kept'] = 'true';
}

window.addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
  switch (data.kind) {
    case 'pieces':
      takePieces(data.from, data.pieces);
      break;
    case 'state':
      takeState(data);
      break;
    case 'files':
      takeFiles(data.asked, data.found);
      break;
  }
});

document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link) {
    return;
  }
  event.preventDefault();
  const target = link.dataset['target'];
  if (target !== undefined) {
    vscode.postMessage({ kind: 'open', target });
  } else if (link.dataset['text'] !== undefined) {
    vscode.postMessage({ kind: 'openText' });
  }
});

/** Where the page was, and how long. */
let place = 0;
let height = 0;

// What grows or is drawn late moves the page, too: only who goes up leaves the end, and only who reaches it follows it.
document.addEventListener(
  'scroll',
  () => {
    const went = scroller.scrollTop - place;
    const grew = scroller.scrollHeight - height;
    place = scroller.scrollTop;
    height = scroller.scrollHeight;
    if (went < 0 && grew >= 0) {
      following = isAtEnd();
      goal = undefined;
    } else if (isAtEnd()) {
      following = true;
    }
    toEnd.hidden = following;
    keepSoon();
  },
  { passive: true },
);

toEnd.addEventListener('click', () => {
  following = true;
  goOn();
});

new ResizeObserver(goOn).observe(document.body);
addEventListener('resize', goOn);

vscode.setState({ session: document.body.dataset['session'] ?? '', text: '', ...vscode.getState() });
vscode.postMessage({ kind: 'ready' });
