import { quoted } from '../problem.js';
import { positionOf, templateError, type Position } from './error.js';
import { unquote } from './unquote.js';

/** A token of an action (Go text/template, "Arguments"). */
export type Token =
  | { type: 'field'; names: string[]; joined: boolean; at: Position }
  | { type: 'root'; names: string[]; at: Position }
  | { type: 'word'; text: string; at: Position }
  | { type: 'literal'; value: string | number | boolean; at: Position }
  | { type: '(' | ')' | '|'; joined: boolean; at: Position };

/** A part of a template: literal text, or the tokens between `{{` and `}}`. */
export type Piece = { type: 'text'; text: string } | { type: 'action'; tokens: Token[]; at: Position };

const space = /^[ \t\r\n]*/;
const name = /^[\p{L}_][\p{L}\p{Nd}_]*/u;

/**
 * Returns the parts of a template; comments are removed, and white space is trimmed by the markers `{{- ` and ` -}}`.
 * @throws TypedError `Invalid` (`TemplateInvalid`) with the place of the first error.
 */
export function lex(template: string): Piece[] {
  const pieces: Piece[] = [];
  let trim = false;
  for (let offset = 0; offset < template.length;) {
    const open = template.indexOf('{{', offset);
    let text = template.slice(offset, open < 0 ? template.length : open);
    if (trim) text = text.replace(space, '');
    if (open >= 0 && /^-[ \t\r\n]/.test(template.slice(open + 2, open + 4))) text = trimEnd(text);
    if (text !== '') pieces.push({ type: 'text', text });
    if (open < 0) break;
    const action = new ActionLexer(template, open);
    if (action.tokens !== undefined)
      pieces.push({ type: 'action', tokens: action.tokens, at: positionOf(template, open) });
    trim = action.trimsAfter;
    offset = action.end;
  }
  return pieces;
}

function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\r\n'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

class ActionLexer {
  /** Undefined for a comment. */
  readonly tokens: Token[] | undefined;
  trimsAfter = false;
  end: number;

  readonly #template: string;
  readonly #open: number;

  constructor(template: string, open: number) {
    this.#template = template;
    this.#open = open;

    this.end = open + 2;
    if (/^-[ \t\r\n]/.test(this.#rest().slice(0, 2))) this.end += 1;
    const afterSpace = this.#rest().replace(space, '');
    if (afterSpace.startsWith('/*')) this.#comment(afterSpace);
    else this.tokens = this.#all();
  }

  #rest(): string {
    return this.#template.slice(this.end);
  }

  #comment(afterSpace: string): void {
    this.end = this.#template.length - afterSpace.length;
    const close = this.#template.indexOf('*/', this.end + 2);
    if (close < 0) throw this.#error(this.#open, 'the comment does not end; write */}}');
    this.end = close + 2;
    if (!this.#closes()) throw this.#error(this.end, '}} must follow the end of a comment');
  }

  #closes(): boolean {
    const match = /^(?:[ \t\r\n]+-)?\}\}/.exec(this.#rest());
    if (match === null) return false;
    this.trimsAfter = match[0].length > 2;
    this.end += match[0].length;
    return true;
  }

  #all(): Token[] {
    const tokens: Token[] = [];
    for (;;) {
      if (this.#closes()) return tokens;
      const from = this.end;
      this.end += space.exec(this.#rest())?.[0].length ?? 0;
      if (this.end > from && this.#closes()) return tokens;
      const separated = this.end > from || tokens.length === 0;
      const token = this.#token(!separated);
      if (!separated && !mayAdjoin(tokens.at(-1), token)) throw templateError(token.at, 'a space is missing');
      tokens.push(token);
    }
  }

  #token(joined: boolean): Token {
    const at = positionOf(this.#template, this.end);
    const rest = this.#rest();
    const [first] = rest;
    if (first === undefined) throw this.#error(this.#open, '"{{" without "}}"');
    if (first === '(' || first === ')' || first === '|') {
      this.end += 1;
      return { type: first, joined, at };
    }
    if (first === '.') return { type: 'field', names: this.#names(), joined, at };
    if (first === '$') {
      this.end += 1;
      if (name.test(this.#rest())) throw templateError(at, 'variables are not supported; $ is the data');
      return { type: 'root', names: this.#rest().startsWith('.') ? this.#names() : [], at };
    }
    if (first === '"' || first === '`') return { type: 'literal', value: this.#string(first), at };
    const number = /^[+-]?(0|[1-9][0-9]{0,14})(?![\p{L}\p{Nd}_.])/u.exec(rest)?.[0];
    if (number !== undefined) {
      this.end += number.length;
      return { type: 'literal', value: Number(number), at };
    }
    const word = name.exec(rest)?.[0];
    if (word === undefined) throw templateError(at, `${quoted(first)} is not supported`);
    this.end += word.length;
    if (word === 'true' || word === 'false') return { type: 'literal', value: word === 'true', at };
    return { type: 'word', text: word, at };
  }

  /** Reads the names of `.A.B`; none for a dot alone. */
  #names(): string[] {
    const names: string[] = [];
    while (this.#rest().startsWith('.')) {
      this.end += 1;
      const found = name.exec(this.#rest())?.[0];
      if (found === undefined) {
        if (names.length === 0 && !this.#rest().startsWith('.')) return names;
        throw this.#error(this.end, 'the name of a field is missing');
      }
      this.end += found.length;
      names.push(found);
    }
    return names;
  }

  #string(quote: string): string {
    const from = this.end;
    for (let at = from + 1; at < this.#template.length; at += 1) {
      const character = this.#template[at];
      if (character === quote) {
        this.end = at + 1;
        const inner = this.#template.slice(from + 1, at);
        if (quote === '`') return inner.replaceAll('\r', '');
        return unquote(inner, (offset, problem) => this.#error(from + 1 + offset, problem));
      }
      if (quote === '`') continue;
      if (character === '\n') break;
      if (character === '\\') at += 1;
    }
    throw this.#error(from, 'the text does not end; a quotation mark is missing');
  }

  #error(offset: number, problem: string): Error {
    return templateError(positionOf(this.#template, offset), problem);
  }
}

/** Returns whether two tokens may be adjacent without a space: parentheses and `|` with anything, a field after `)`. */
function mayAdjoin(before: Token | undefined, { type }: Token): boolean {
  const marks = ['(', ')', '|'];
  if (marks.includes(type)) return type !== '(' || before === undefined || marks.includes(before.type);
  return before === undefined || before.type === '(' || before.type === '|' || type === 'field';
}
