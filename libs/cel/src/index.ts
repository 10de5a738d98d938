export { StepLimitError } from './budget.js';
export { childrenOf, type Node } from './ast.js';
export { compileCondition, type Condition } from './condition.js';
export { CelValues } from './value.js';
export { matchesPattern } from './matches.js';
