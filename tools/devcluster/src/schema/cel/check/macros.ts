import { boolType, intType } from './type.js';
import { accumulatorName } from './syntax.js';
import type { CallExpr, ComprehensionExpr, Expr } from './syntax.js';

/** A call that may be a macro. `target` and `arg` return a new copy of the part each time. */
interface MacroCall {
  readonly name: string;
  readonly at: number;
  readonly argCount: number;
  target(): Expr;
  arg(index: number): Expr;
}

/** The error of a macro that is called with invalid arguments. */
export class MacroError extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

/**
 * Expands the macros that cel-go and its extensions define on a receiver; returns undefined for a call of a function.
 */
export function expandMacro(call: MacroCall): Expr | undefined {
  switch (`${call.name}:${call.argCount}`) {
    case 'all:2':
    case 'exists:2':
    case 'exists_one:2':
      return quantifier(call, [nameOf(call.arg(0), 'argument must be a simple name')], call.arg(1));
    case 'all:3':
    case 'exists:3':
    case 'exists_one:3':
    case 'existsOne:3':
      return quantifier(call, twoNames(call), call.arg(2));
    case 'filter:2': {
      const variable = nameOf(call.arg(0), 'argument is not an identifier');
      return collect(call, [variable], call.arg(1), call.arg(0));
    }
    case 'map:2':
      return collect(call, [nameOf(call.arg(0), 'argument is not an identifier')], undefined, call.arg(1));
    case 'map:3':
      return collect(call, [nameOf(call.arg(0), 'argument is not an identifier')], call.arg(1), call.arg(2));
    case 'transformList:3':
    case 'transformList:4':
      return collect(call, twoNames(call), filterOf(call), call.arg(call.argCount - 1));
    case 'transformMap:3':
    case 'transformMap:4': {
      const names = twoNames(call);
      return collectMap(call, names, [{ kind: 'ident', at: call.at, name: names[0] ?? '' }]);
    }
    case 'transformMapEntry:3':
    case 'transformMapEntry:4':
      return collectMap(call, twoNames(call), []);
    case 'optMap:2':
    case 'optFlatMap:2':
      return optionalMap(call);
    case 'sortBy:2':
      return sortBy(call);
    default:
      return undefined;
  }
}

function nameOf(argument: Expr, problem: string): string {
  if (argument.kind !== 'ident') throw new MacroError(problem, argument.at);
  if (argument.name === accumulatorName)
    throw new MacroError('iteration variable overwrites accumulator variable', argument.at);
  return argument.name;
}

function twoNames(call: MacroCall): string[] {
  const first = nameOf(call.arg(0), 'argument must be a simple name');
  const second = nameOf(call.arg(1), 'argument must be a simple name');
  if (first === second) throw new MacroError(`duplicate variable name: ${first}`, call.arg(1).at);
  return [first, second];
}

function filterOf(call: MacroCall): Expr | undefined {
  return call.argCount === 4 ? call.arg(2) : undefined;
}

function quantifier(call: MacroCall, names: readonly string[], predicate: Expr): Expr {
  const make = new Maker(call.at);
  const accumulator = make.accumulator();
  switch (call.name) {
    case 'all':
      return make.loop(call, names, {
        init: make.bool(true),
        condition: make.call('@not_strictly_false', make.accumulator()),
        step: make.call('_&&_', accumulator, predicate),
        result: make.accumulator(),
      });
    case 'exists':
      return make.loop(call, names, {
        init: make.bool(false),
        condition: make.call('@not_strictly_false', make.call('!_', make.accumulator())),
        step: make.call('_||_', accumulator, predicate),
        result: make.accumulator(),
      });
    default:
      return make.loop(call, names, {
        init: make.int(0n),
        condition: make.bool(true),
        step: make.call('_?_:_', predicate, make.call('_+_', accumulator, make.int(1n)), make.accumulator()),
        result: make.call('_==_', make.accumulator(), make.int(1n)),
      });
  }
}

/** Returns a loop that adds one item for each element, or for each element that passes the filter. */
function collect(
  call: MacroCall,
  names: readonly string[],
  filter: Expr | undefined,
  item: Expr,
): ComprehensionExpr {
  const make = new Maker(call.at);
  const step = make.call('_+_', make.accumulator(), make.list(item));
  return make.loop(call, names, {
    init: make.list(),
    condition: make.bool(true),
    step: filter === undefined ? step : make.call('_?_:_', filter, step, make.accumulator()),
    result: make.accumulator(),
  });
}

function collectMap(call: MacroCall, names: readonly string[], key: readonly Expr[]): ComprehensionExpr {
  const make = new Maker(call.at);
  const step = make.call('cel.@mapInsert', make.accumulator(), ...key, call.arg(call.argCount - 1));
  const filter = filterOf(call);
  return make.loop(call, names, {
    init: { kind: 'map', at: call.at, entries: [] },
    condition: make.bool(true),
    step: filter === undefined ? step : make.call('_?_:_', filter, step, make.accumulator()),
    result: make.accumulator(),
  });
}

/**
 * Expands a macro of an optional value. The receiver is evaluated once: unless it is a name, a hidden variable holds
 * it.
 */
function optionalMap(call: MacroCall): Expr {
  const make = new Maker(call.at);
  const argument = call.arg(0);
  if (argument.kind !== 'ident') {
    throw new MacroError(`${call.name}() variable name must be a simple identifier`, argument.at);
  }
  const receiver = call.target();
  const hidden = '@target';
  const target = (): Expr =>
    receiver.kind === 'ident' ? call.target() : { kind: 'ident', at: call.at, name: hidden };
  const mapped = make.bind(argument.name, make.member('value', target()), call.arg(1));
  const result = make.call(
    '_?_:_',
    make.member('hasValue', target()),
    call.name === 'optMap' ? make.call('optional.of', mapped) : mapped,
    make.call('optional.none'),
  );
  return receiver.kind === 'ident' ? result : make.bind(hidden, receiver, result);
}

function sortBy(call: MacroCall): Expr {
  const make = new Maker(call.at);
  const target = call.target();
  if (target.kind === 'literal' || target.kind === 'map') {
    const problem =
      'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
    throw new MacroError(problem, target.at);
  }
  const input = '@__sortBy_input__';
  const ident = (): Expr => ({ kind: 'ident', at: call.at, name: input });
  const variable = nameOf(call.arg(0), 'argument is not an identifier');
  const keys = collect({ ...partsOfCall(call), target: ident }, [variable], undefined, call.arg(1));
  return make.bind(input, target, make.member('@sortByAssociatedKeys', ident(), keys));
}

function partsOfCall(call: MacroCall): MacroCall {
  return {
    name: call.name,
    at: call.at,
    argCount: call.argCount,
    target: () => call.target(),
    arg: (index) => call.arg(index),
  };
}

/** Makes the parts of an expansion; errors in them refer to the call. */
class Maker {
  constructor(readonly at: number) {}

  accumulator(): Expr {
    return { kind: 'ident', at: this.at, name: accumulatorName };
  }

  bool(value: boolean): Expr {
    return { kind: 'literal', at: this.at, value, type: boolType };
  }

  int(value: bigint): Expr {
    return { kind: 'literal', at: this.at, value, type: intType };
  }

  list(...items: Expr[]): Expr {
    return { kind: 'list', at: this.at, items };
  }

  call(name: string, ...args: Expr[]): CallExpr {
    return { kind: 'call', at: this.at, name, args };
  }

  member(name: string, target: Expr, ...args: Expr[]): CallExpr {
    return { kind: 'call', at: this.at, name, target, args };
  }

  /** Returns a loop that never runs, whose accumulator is a local variable. */
  bind(name: string, value: Expr, result: Expr): ComprehensionExpr {
    return {
      kind: 'comprehension',
      at: this.at,
      range: this.list(),
      variable: '#unused',
      accumulator: name,
      init: value,
      condition: this.bool(false),
      step: { kind: 'ident', at: this.at, name },
      result,
    };
  }

  loop(
    call: MacroCall,
    [variable = '', valueVariable]: readonly string[],
    parts: Pick<ComprehensionExpr, 'init' | 'condition' | 'step' | 'result'>,
  ): ComprehensionExpr {
    return {
      kind: 'comprehension',
      at: this.at,
      range: call.target(),
      variable,
      valueVariable,
      accumulator: accumulatorName,
      ...parts,
    };
  }
}
