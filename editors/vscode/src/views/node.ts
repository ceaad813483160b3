// A row of a tree as plain data. Pure: what becomes of it in VS Code is tree.ts.

export interface Node {
  /** The same as long as the row is about the same: focus and folding hang on it. */
  key: string;
  label: string;
  description?: string;
  tooltip?: string;
  icon?: string;
  /** A colour of the theme for the icon. */
  color?: string;
  /** Of a row that stands for a file: its icon is the file's. */
  resource?: string;
  /** Which buttons it has. */
  context?: string;
  /** What choosing it does. Rows without one only tell something. */
  command?: { command: string; argument: object };
  /** Folded at first. */
  folded?: boolean;
  children?: Node[];

  // What the commands of its buttons are about: a command gets the row as its argument.

  /** A question. */
  id?: string;
  hunk?: string;
  uri?: string;
  session?: string;
}
