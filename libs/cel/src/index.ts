export { childrenOf, type Node } from './ast.js';
export { compileCondition, type Condition } from './condition.js';
export { matchesPattern } from './matches.js';
