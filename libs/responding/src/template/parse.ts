import { quoted } from '../problem.js';
import { templateError, type Position } from './error.js';
import { functionNames } from './functions.js';
import { lex, type Piece, type Token } from './lex.js';

/** A value, or an expression for it. */
export type Expression =
  | { type: 'literal'; value: string | number | boolean; at: Position }
  | { type: 'path'; from: 'dot' | 'root' | Expression; names: string[]; at: Position }
  | { type: 'call'; name: string; args: Expression[]; at: Position };

export type Node =
  | { type: 'text'; text: string }
  | { type: 'output'; value: Expression; at: Position }
  | { type: 'if' | 'with' | 'range'; value: Expression; body: Node[]; otherwise: Node[]; at: Position };

const maxTemplate = 65_536;
const maxDepth = 20;

/**
 * Parses the subset of Go's text/template: fields, `$`, literals, calls of {@link functionNames}, pipelines,
 * parentheses, comments, trim markers, and `if`, `else if`, `else`, `with`, `range`, `end`.
 * @throws TypedError `Invalid` (`TemplateInvalid`) with the place of the first error.
 */
export function parseTemplate(template: string): Node[] {
  if (template.length > maxTemplate)
    throw templateError({ line: 1, column: 1 }, `it is longer than ${maxTemplate} characters`);
  return new Parser(lex(template)).template();
}

interface Ending {
  word: 'end' | 'else';
  tokens: Token[];
  at: Position;
}

class Parser {
  #next = 0;

  readonly #pieces: readonly Piece[];

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  template(): Node[] {
    const { nodes, ending } = this.#list(0);
    if (ending !== undefined) throw templateError(ending.at, `{{${ending.word}}} without if, with or range`);
    return nodes;
  }

  #list(depth: number): { nodes: Node[]; ending?: Ending } {
    const nodes: Node[] = [];
    for (let piece = this.#pieces[this.#next]; piece !== undefined; piece = this.#pieces[this.#next]) {
      this.#next += 1;
      if (piece.type === 'text') {
        nodes.push(piece);
        continue;
      }
      const { tokens, at } = piece;
      const [first] = tokens;
      const word = first?.type === 'word' ? first.text : undefined;
      if (word === 'end' || word === 'else') {
        if (word === 'end' && tokens.length > 1) throw templateError(at, 'nothing may follow "end"');
        return { nodes, ending: { word, tokens, at } };
      }
      if (word === 'if' || word === 'with' || word === 'range')
        nodes.push(this.#block(word, tokens.slice(1), at, depth + 1));
      else nodes.push({ type: 'output', value: parsePipeline(tokens, at), at });
    }
    return { nodes };
  }

  #block(type: 'if' | 'with' | 'range', tokens: Token[], at: Position, depth: number): Node {
    if (depth > maxDepth) throw templateError(at, `blocks are nested more than ${maxDepth} levels deep`);
    const value = parsePipeline(tokens, at);
    const { nodes: body, ending } = this.#list(depth);
    if (ending?.word !== 'else') return this.#closed({ type, value, body, otherwise: [], at }, ending);
    const [, second] = ending.tokens;
    if (second === undefined) {
      const { nodes: otherwise, ending: last } = this.#list(depth);
      return this.#closed({ type, value, body, otherwise, at }, last);
    }
    if (type !== 'if' || second.type !== 'word' || second.text !== 'if')
      throw templateError(second.at, 'only "if" may follow "else", and only in an "if" block');
    const other = this.#block('if', ending.tokens.slice(2), ending.at, depth + 1);
    return { type, value, body, otherwise: [other], at };
  }

  #closed(node: Node & { at: Position }, ending: Ending | undefined): Node {
    if (ending === undefined) throw templateError(node.at, `{{end}} of this ${node.type} is missing`);
    if (ending.word === 'else') throw templateError(ending.at, 'the block already has an "else"');
    return node;
  }
}

function parsePipeline(tokens: Token[], at: Position): Expression {
  const reader = new PipelineReader(tokens, at);
  const value = reader.pipeline(0);
  const [extra] = reader.left();
  if (extra !== undefined) throw templateError(extra.at, 'there is a ")" without "("');
  return value;
}

class PipelineReader {
  #next = 0;

  readonly #tokens: readonly Token[];
  readonly #at: Position;

  constructor(tokens: readonly Token[], at: Position) {
    this.#tokens = tokens;
    this.#at = at;
  }

  left(): readonly Token[] {
    return this.#tokens.slice(this.#next);
  }

  /** Parses `a | b c`: each value is the last argument of the next command. */
  pipeline(depth: number): Expression {
    if (depth > maxDepth)
      throw templateError(this.#at, `parentheses are nested more than ${maxDepth} levels deep`);
    let value = this.#command(depth, undefined);
    while (this.#tokens[this.#next]?.type === '|') {
      this.#next += 1;
      value = this.#command(depth, value);
    }
    return value;
  }

  #command(depth: number, piped: Expression | undefined): Expression {
    const first = this.#tokens[this.#next];
    if (first === undefined || first.type === '|' || first.type === ')')
      throw templateError(first?.at ?? this.#at, 'a value is missing');
    const isCall = first.type === 'word';
    if (isCall) this.#next += 1;
    const args: Expression[] = [];
    for (let token = this.#tokens[this.#next]; token !== undefined; token = this.#tokens[this.#next]) {
      if (token.type === '|' || token.type === ')') break;
      args.push(this.#operand(token, depth));
    }
    if (isCall) return call(first.text, piped === undefined ? args : [...args, piped], first.at);
    const [value, second] = args;
    if (piped !== undefined || second !== undefined || value === undefined)
      throw templateError(second?.at ?? first.at, 'a function has to come first, such as printf "%s" .Name');
    return value;
  }

  #operand(token: Token, depth: number): Expression {
    this.#next += 1;
    const { at } = token;
    switch (token.type) {
      case 'literal':
        return token;
      case 'field':
        return { type: 'path', from: 'dot', names: token.names, at };
      case 'root':
        return { type: 'path', from: 'root', names: token.names, at };
      case 'word':
        return call(token.text, [], at);
      default:
        return this.#parenthesis(at, depth);
    }
  }

  #parenthesis(at: Position, depth: number): Expression {
    const value = this.pipeline(depth + 1);
    if (this.#tokens[this.#next]?.type !== ')') throw templateError(at, '"(" without ")"');
    this.#next += 1;
    const field = this.#tokens[this.#next];
    if (field?.type !== 'field' || !field.joined) return value;
    this.#next += 1;
    if (field.names.length === 0) throw templateError(field.at, 'the name of a field is missing');
    return { type: 'path', from: value, names: field.names, at: field.at };
  }
}

function call(name: string, args: Expression[], at: Position): Expression {
  if (functionNames.has(name)) return { type: 'call', name, args, at };
  throw templateError(at, `there is no function ${quoted(name)}; there are ${[...functionNames].join(', ')}`);
}
