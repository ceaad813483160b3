import { Injectable } from "@angular/core";
import type { Options } from "./options";

/** The most that fits. */
export const LIMIT: number = 10;
export type Id<T> = string | { of: T };

export interface Shape<T> extends Base {
  readonly name: string;
  size?: T;
  area(): number;
  (call: string): void;
}

export enum Color {
  Red,
  Green = "green",
}

declare module "plugin" {
  export function load(name: string): void;
}

namespace Geometry {
  export const unit = 1;
  export function scale(by: number): number {
    return by * unit;
  }
}

export function parse(text: string): number;
export function parse(text: number): number;
export function parse(text: any): number {
  const local: Id<string> = text;
  return Number(local);
}

// A service.
@Injectable({ providedIn: "root" })
export class Service<T extends Shape<T>> implements Shape<T> {
  private static count = 0;
  readonly name: string = "x";

  constructor(
    private readonly http: HttpClient,
    plain: string,
  ) {}

  @Input()
  size?: T;

  handle = (event: Event): void => {};

  area(): number;
  area(by?: number): number {
    return this.http.get<number>("/area");
  }

  async *pages(): AsyncGenerator<T> {}
}

export abstract class Model {
  abstract save(): Promise<void>;
  protected get id(): Id<Model> {
    return new Registry().id;
  }
}

export const useThing = <T,>(value: T): T => value;

declare const VERSION: string;
declare global {
  interface Window {
    mew: string;
  }
}
