export { appendAudit, verifyAudit, type AuditEntry } from './audit/audit.js';
export { authorOf, specDigest } from './audit/author.js';
export {
  auditSigner,
  auditVerifier,
  type GateAuditSigner,
  type GateAuditVerifier,
} from './audit/signature.js';
export { approvedRevisions } from './approved.js';
export {
  requestsGates,
  flux,
  pinField,
  referenceOf,
  referenceString,
  boundedRevision,
  sourceOf,
  trimFluxObject,
  type FluxObject,
  type FluxReference,
} from './binding/flux-object.js';
export {
  bindsCommit,
  bindsStrategy,
  promotionsOf,
  requiredKeysOf,
  strategyOf,
  verdictOfPromotion,
  type Promotion,
} from './binding/promotions.js';
export {
  bindsObject,
  boundBy,
  isOCIRepositoryOfHelm,
  sourcesOf,
  type FluxObjects,
} from './binding/targets.js';
export { virtualBindingOf } from './binding/virtual-binding.js';
export type { CalendarEvents } from './calendar/events.js';
export { CalendarReader } from './calendar/reader.js';
export { decideGate, defaultStateTtlMs, horizonMs } from './decide.js';
export { holdMarksOf, ownAnnotations, releaseConfiguration, type HoldMarks } from './hold/marks.js';
export { isOurs, others, ownersOf, writesManifests, type FieldOwner } from './hold/owners.js';
export { keeperCache } from './keeper/compile.js';
export { approversOf } from './override/approvals.js';
export { judgeOverrides } from './override/judge.js';
export { hasEnded, relevantOverrides } from './override/relevant.js';
export { appliesTo, revisionMatches } from './override/scope.js';
export type { ObjectProblem } from './object-problem.js';
export { problemsOf, type GatingObject } from './problems/problems.js';
export { brokenRules } from './problems/rules.js';
export { neverOpenTogether, warningsOf } from './problems/warnings.js';
export { believedState, type Reading } from './reading.js';
export { decideRequire, gateKey, type GateReading, type RequireState } from './require.js';
export type {
  KeeperInput,
  Subject,
  DecideOptions,
  NextDecision,
  Contribution,
  GateDecision,
  OverrideState,
} from './types.js';
