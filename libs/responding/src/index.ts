export { absentError, absentText, type AbsentTarget } from './change/absent.js';
export { type Operation } from './change/operation.js';
export { type Guards } from './change/guards.js';
export { guardsOf, operationsOf } from './change/of-response.js';
export { documentProblem, foreignYaml } from './change/yaml/limits.js';
export { parseOperations } from './change/parse.js';
export { pathsToRead, planChange, type ChangePlan, type FileChange, type FileState } from './change/plan.js';
export { defaultResponderName, gitOpsChange, missingEvent, notClaimed } from './claim.js';
export { needsLocation, withLocation } from './locate/apply.js';
export { type Delivery, type DeliveryObject, type DeliveryRef, type Subject } from './locate/delivery.js';
export { locateDocument, type DocumentLocation, type LocatedDocument } from './locate/document.js';
export { searchDelivery, searchDocument, type DeliverySources } from './locate/search.js';
export { isRepository } from './locate/url.js';
export { problemText, problemsError, quoted } from './problem.js';
export { branchOf } from './proposal/branch.js';
export {
  eventNameOf,
  operationsOfMessage,
  responseOfBody,
  responseOfMessage,
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
  type CompiledRoutes,
  type RouteResult,
  type Routing,
  type TakenRoute,
  type UndecidedRoute,
} from './route/route.js';
export { configProblems } from './route/validate.js';
export { templateData, type TemplateFacts } from './template/context.js';
export { renderMarkdown, renderTitle } from './template/render.js';
