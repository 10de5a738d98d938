import { badRequest } from '../api/api-error.js';
import { checkLabelValue, checkQualifiedName } from '../registry/names.js';
import { objectAt } from '../object.js';
import type { JsonObject } from '../schema/types.js';

type Operator = '=' | '!=' | 'in' | 'notin' | 'exists' | '!' | '<' | '>';

/** One condition on labels; all conditions of a selector must hold. */
export interface Requirement {
  key: string;
  operator: Operator;
  values: readonly string[];
}

interface Token {
  kind: 'identifier' | 'end' | 'symbol';
  text: string;
}

const special = '=!(),<>';

function tokenize(selector: string): Token[] {
  const tokens: Token[] = [];
  const pattern = /\s*(==|!=|[=!(),<>]|[^\s=!(),<>]+)/y;
  for (let match = pattern.exec(selector); match !== null; match = pattern.exec(selector)) {
    const text = match[1] ?? '';
    tokens.push({ kind: special.includes(text.charAt(0)) ? 'symbol' : 'identifier', text });
  }
  return tokens;
}

const end: Token = { kind: 'end', text: '' };

class Parser {
  readonly #tokens: Token[];
  #index = 0;

  constructor(selector: string) {
    this.#tokens = tokenize(selector);
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    if (this.#peek().kind === 'end') return requirements;
    for (;;) {
      const start = this.#peek();
      if (start.kind !== 'identifier' && start.text !== '!') {
        throw badRequest(`found '${start.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const separator = this.#next();
      if (separator.kind === 'end') return requirements;
      if (separator.text !== ',') {
        throw badRequest(`found '${separator.text}', expected: ',' or 'end of string'`);
      }
      const following = this.#peek();
      if (following.kind !== 'identifier' && following.text !== '!') {
        throw badRequest(`found '${following.text}', expected: identifier after ','`);
      }
    }
  }

  #peek(): Token {
    return this.#tokens[this.#index] ?? end;
  }

  #next(): Token {
    const token = this.#peek();
    this.#index += 1;
    return token;
  }

  #requirement(): Requirement {
    const negated = this.#peek().text === '!' && this.#peek().kind === 'symbol';
    if (negated) this.#next();
    const key = this.#expectIdentifier();
    const wrong = checkQualifiedName(key);
    if (wrong !== undefined) throw unparsable(`key: Invalid value: "${key}": ${wrong}`);
    if (negated) return { key, operator: '!', values: [] };
    const { kind, text } = this.#peek();
    if (kind === 'end' || text === ',') return { key, operator: 'exists', values: [] };
    this.#next();
    switch (text) {
      case 'in':
      case 'notin':
        return { key, operator: text, values: this.#set().map(checkValue) };
      case '=':
      case '==':
      case '!=':
        return { key, operator: text === '!=' ? '!=' : '=', values: [checkValue(this.#exactValue())] };
      case '<':
      case '>':
        return { key, operator: text, values: [checkNumber(this.#exactValue())] };
      default:
        throw unparsable(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #exactValue(): string {
    const { kind, text } = this.#peek();
    return kind === 'end' || text === ',' ? '' : this.#expectIdentifier();
  }

  #expectIdentifier(): string {
    const { kind, text } = this.#next();
    if (kind !== 'identifier') throw unparsable(`found '${text}', expected: identifier`);
    return text;
  }

  #set(): string[] {
    const open = this.#next();
    if (open.text !== '(') throw unparsable(`found '${open.text}' expected: '('`);
    const values: string[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'identifier') values.push(this.#next().text);
      else values.push('');
      const after = this.#next();
      if (after.text === ')') return [...new Set(values)];
      if (after.text !== ',') throw unparsable(`found '${after.text}', expected: ',' or ')'`);
    }
  }
}

function unparsable(message: string): Error {
  return badRequest(`unable to parse requirement: ${message}`);
}

function checkValue(value: string): string {
  const wrong = checkLabelValue(value);
  if (wrong !== undefined) throw unparsable(`values[0][]: Invalid value: "${value}": ${wrong}`);
  return value;
}

function checkNumber(value: string): string {
  if (!/^[+-]?\d+$/.test(value)) {
    throw unparsable(
      `values[0]: Invalid value: "${value}": for 'Gt', 'Lt' operators, the value must be an integer`,
    );
  }
  return value;
}

/**
 * Parses a label selector as in `labelSelector=`: `a`, `!a`, `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a>1`,
 * `a<1`, joined by commas. Throws a 400. Source: k8s.io/apimachinery/pkg/labels.
 */
export function parseLabelSelector(selector: string): Requirement[] {
  return new Parser(selector).parse();
}

/** Returns whether labels meet all requirements. */
export function matchesLabels(
  requirements: readonly Requirement[],
  labels: Readonly<Record<string, unknown>> = {},
): boolean {
  return requirements.every(({ key, operator, values }) => {
    const value = Object.hasOwn(labels, key) ? String(labels[key]) : undefined;
    switch (operator) {
      case 'exists':
        return value !== undefined;
      case '!':
        return value === undefined;
      case '=':
      case 'in':
        return value !== undefined && values.includes(value);
      case '!=':
      case 'notin':
        return value === undefined || !values.includes(value);
      case '<':
        return value !== undefined && /^[+-]?\d+$/.test(value) && Number(value) < Number(values[0]);
      case '>':
        return value !== undefined && /^[+-]?\d+$/.test(value) && Number(value) > Number(values[0]);
    }
  });
}

const expressionOperators: Readonly<Record<string, Operator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

/** Returns the requirements of a `metav1.LabelSelector`; an empty one matches everything. */
export function labelSelectorRequirements(selector: JsonObject): Requirement[] {
  const equal = Object.entries(objectAt(selector, 'matchLabels')).map(([key, value]): Requirement => ({
    key,
    operator: '=',
    values: [String(value)],
  }));
  const expressions = Array.isArray(selector['matchExpressions']) ? selector['matchExpressions'] : [];
  const others = expressions.flatMap((expression): Requirement[] => {
    if (typeof expression !== 'object' || expression === null || Array.isArray(expression)) return [];
    const operator = expressionOperators[String(expression['operator'])];
    if (operator === undefined) return [];
    const values = Array.isArray(expression['values']) ? expression['values'].map(String) : [];
    return [{ key: String(expression['key']), operator, values }];
  });
  return [...equal, ...others];
}

/** Returns requirements in the format of {@link parseLabelSelector}, in the order of their keys. */
export function selectorText(requirements: readonly Requirement[]): string {
  const byKey = [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return byKey.map(requirementText).join(',');
}

function requirementText({ key, operator, values }: Requirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${[...values].sort().join(',')})`;
    default:
      return `${key}${operator}${values.join()}`;
  }
}
