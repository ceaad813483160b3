// The symbols of the workspace or of a file, as the languages' own extensions know them.

import * as vscode from 'vscode';
import { best } from './fuzzy.ts';

export interface FoundSymbol {
  name: string;
  kind: vscode.SymbolKind;
  uri: vscode.Uri;
  range: vscode.Range;
}

/** Those of the workspace that fit best. */
export async function ofWorkspace(query: string, most: number): Promise<FoundSymbol[]> {
  const found = await vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
    'vscode.executeWorkspaceSymbolProvider',
    query,
  );
  const symbols = (found ?? []).map(({ name, kind, location }) => ({
    name,
    kind,
    uri: location.uri,
    range: location.range,
  }));
  return fitting(query, symbols, most);
}

/** Those of a file that fit best. */
export async function ofFile(uri: vscode.Uri, query: string, most: number): Promise<FoundSymbol[]> {
  // Extensions know only of what is open; this shows nothing.
  await vscode.workspace.openTextDocument(uri);
  const found = await vscode.commands.executeCommand<
    (vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined
  >('vscode.executeDocumentSymbolProvider', uri);
  return fitting(query, flat(found ?? [], uri), most);
}

function flat(
  symbols: readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[],
  uri: vscode.Uri,
): FoundSymbol[] {
  return symbols.flatMap((symbol) => {
    const { name, kind } = symbol;
    return 'children' in symbol
      ? [{ name, kind, uri, range: symbol.range }, ...flat(symbol.children, uri)]
      : [{ name, kind, uri, range: symbol.location.range }];
  });
}

function fitting(query: string, symbols: readonly FoundSymbol[], most: number): FoundSymbol[] {
  const named = symbols
    .filter((symbol) => symbol.uri.scheme === 'file')
    .map((symbol) => ({ lower: symbol.name.toLowerCase(), value: symbol }));
  return best(query, named, most);
}
