// A tree view of plain rows. Knows nothing of what they are about.

import * as vscode from 'vscode';
import type { Node } from './node.ts';

export class Tree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  #nodes: readonly Node[] = [];
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #view: vscode.TreeView<Node>;

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(id: string) {
    this.#view = vscode.window.createTreeView(id, { treeDataProvider: this, showCollapseAll: true });
  }

  get nodes(): readonly Node[] {
    return this.#nodes;
  }

  /** The number on the view's icon; none takes it away. */
  set badge(badge: vscode.ViewBadge | undefined) {
    this.#view.badge = badge;
  }

  get badge(): vscode.ViewBadge | undefined {
    return this.#view.badge;
  }

  show(nodes: readonly Node[]): void {
    this.#nodes = nodes;
    this.#changed.fire(undefined);
  }

  getChildren(node?: Node): Node[] {
    return node ? (node.children ?? []) : [...this.#nodes];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const item = new vscode.TreeItem(node.label, folding(node));
    item.id = node.key;
    item.tooltip = node.tooltip ?? node.label;
    if (node.description !== undefined) {
      item.description = node.description;
    }
    if (node.resource !== undefined) {
      item.resourceUri = vscode.Uri.parse(node.resource, true);
      item.iconPath = vscode.ThemeIcon.File;
    } else if (node.icon !== undefined) {
      const color = node.color === undefined ? undefined : new vscode.ThemeColor(node.color);
      item.iconPath = new vscode.ThemeIcon(node.icon, color);
    }
    if (node.context !== undefined) {
      item.contextValue = node.context;
    }
    if (node.command) {
      const { command, argument } = node.command;
      item.command = { command, title: node.label, arguments: [argument] };
    }
    return item;
  }

  dispose(): void {
    this.#view.dispose();
    this.#changed.dispose();
  }
}

function folding(node: Node): vscode.TreeItemCollapsibleState {
  if (!node.children || node.children.length === 0) {
    return vscode.TreeItemCollapsibleState.None;
  }
  return node.folded === true
    ? vscode.TreeItemCollapsibleState.Collapsed
    : vscode.TreeItemCollapsibleState.Expanded;
}
