export { alwaysDenied, checkPath, type Guards } from './change/guards.js';
export { digestOf, type Operation } from './change/operation.js';
export { parseOperations } from './change/parse.js';
export { pathsToRead, planChange, type ChangePlan, type FileChange, type FileState } from './change/plan.js';
export { defaultResponderName, gitOpsChange, missingEvent, notClaimed } from './claim.js';
export { eventFields, isFields, responseFields } from './facts.js';
export { needsLocation, withLocation } from './locate/apply.js';
export * from './locate/delivery.js';
export * from './locate/document.js';
export { searchDelivery, searchDocument, type DeliverySources } from './locate/search.js';
export { isRepository } from './locate/url.js';
export { problemText, problemsError, quoted, type Problem } from './problem.js';
export { branchOf } from './proposal/branch.js';
export {
  eventNameOf,
  markerOf,
  responseOfBody,
  responseOfMessage,
  trailerOf,
  uidOf,
} from './proposal/identity.js';
export { changeFacts, planOffline, type OfflinePlan, type UnreadEdit } from './proposal/offline-plan.js';
export { renderProposal, type Proposal, type ProposalFacts } from './proposal/render.js';
export { hostOf } from './route/host.js';
export { routesOf } from './route/convert.js';
export { preferredConfig, preferredConfigName } from './route/preferred.js';
export {
  compileRoutes,
  route,
  type ConditionResult,
  type CompiledRoutes,
  type RouteFacts,
  type RouteResult,
  type Routing,
} from './route/route.js';
export { configProblems } from './route/validate.js';
export { templateData, type TemplateFacts } from './template/context.js';
export { maxBody, renderMarkdown, renderTitle } from './template/render.js';
