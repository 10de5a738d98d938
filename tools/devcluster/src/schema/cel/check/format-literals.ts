import type { Checked } from './checker.js';
import type { ExpressionProblem } from './problems.js';
import type { CallExpr, Expr } from './syntax.js';
import type { TypeKind } from './type.js';

interface Clause {
  readonly kinds: readonly TypeKind[];
  /** The problem without the name of the type, which is appended. */
  readonly problem: string;
}

const text: Clause = {
  kinds: [
    'list',
    'map',
    'int',
    'uint',
    'double',
    'bool',
    'string',
    'timestamp',
    'bytes',
    'duration',
    'type',
    'null',
  ],
  problem:
    'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
};
const hex: Clause = {
  kinds: ['int', 'uint', 'string', 'bytes'],
  problem: 'only integers, byte buffers, and strings can be formatted as hex',
};

const clauses: Readonly<Record<string, Clause>> = {
  s: text,
  d: { kinds: ['int', 'uint'], problem: 'decimal clause can only be used on integers' },
  f: { kinds: ['double', 'string'], problem: 'fixed-point clause can only be used on doubles' },
  e: { kinds: ['double', 'string'], problem: 'scientific clause can only be used on doubles' },
  b: { kinds: ['int', 'uint', 'bool'], problem: 'only integers and bools can be formatted as binary' },
  x: hex,
  X: hex,
  o: { kinds: ['int', 'uint'], problem: 'octal clause can only be used on integers' },
};

/** Returns the errors in a call `'…'.format([…])` in which both the format and the list are literals. */
export function checkFormat(expr: CallExpr, checked: Checked): ExpressionProblem[] {
  const { target, args, at } = expr;
  const [list] = args;
  if (checked.callOf(expr)?.name !== 'format' || target?.kind !== 'literal' || list?.kind !== 'list')
    return [];
  const { items } = list;
  const format = String(target.value).replaceAll('%%', '');
  let used = 0;
  for (const match of format.matchAll(/%(?:\.(\d*))?(.?)/gs)) {
    const [, precision, name = ''] = match;
    const item = items[used++];
    if (item === undefined) {
      if (name === '') return [{ message: 'unexpected end of string', at }];
      return [{ message: `index ${used - 1} out of range`, at }];
    }
    const problem = checkClause(name, precision, item, checked);
    if (problem !== undefined) return [{ at, ...problem }];
  }
  if (used >= items.length) return [];
  const message = `too many arguments supplied to string.format (expected ${used}, got ${items.length})`;
  return [{ message, at }];
}

function checkClause(
  name: string,
  precision: string | undefined,
  item: Expr,
  checked: Checked,
): { message: string; at?: number } | undefined {
  const prefix = 'could not parse formatting clause: ';
  if (name === '' && precision === undefined) return { message: 'unexpected end of string' };
  if (name === '') {
    return { message: `${prefix}error while parsing precision: could not find end of precision specifier` };
  }
  if (precision === '') {
    const detail = 'strconv.Atoi: parsing "": invalid syntax';
    return {
      message: `${prefix}error while parsing precision: error while converting precision to integer: ${detail}`,
    };
  }
  const clause = clauses[name];
  if (clause === undefined) return { message: `${prefix}unrecognized formatting clause "${name}"` };
  const wrong = unfit(item, clause, checked);
  if (wrong === undefined) return undefined;
  const type = checked.typeOf(wrong);
  return { message: `error during formatting: ${clause.problem}, was given ${type.name}`, at: wrong.at };
}

/**
 * Returns the part of an argument that a clause cannot format; in lists and maps, `%s` formats every element.
 */
function unfit(item: Expr, clause: Clause, checked: Checked): Expr | undefined {
  const { kind } = checked.typeOf(item);
  if (kind !== 'dyn' && !clause.kinds.includes(kind)) return item;
  if (clause !== text) return undefined;
  const parts = item.kind === 'list' ? item.items : item.kind === 'map' ? item.entries.flat() : [];
  return parts.map((part) => unfit(part, clause, checked)).find((part) => part !== undefined);
}
