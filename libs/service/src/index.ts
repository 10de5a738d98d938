export { addAdmissionServer } from './admission/add-server.js';
export { certificateFiles } from './admission/certificates.js';
export { judgeChange, verdictOn } from './admission/verdict.js';
export { annotationPatch } from './admission/patch.js';
export { mutating, validating, type AdmissionRoute } from './admission/routes.js';
export type { AdmissionOptions } from './admission/options.js';
export type {
  AdmissionUser,
  AdmissionRequest,
  JsonPatchOperation,
  Allowed,
  Denied,
} from './admission/types.js';
export { fileCertificates } from './certificates/file-source.js';
export { readCertificate } from './certificates/pem.js';
export { keepCertificates } from './certificates/stored.js';
export { formatDuration, parseDuration } from './durations.js';
export { hostFlags, pluginFlags, webhookFlags } from './flags/scm.js';
export type { RequestAdmission } from './http/admission.js';
export { HttpServer } from './http/http-server.js';
export { startServer, type RunningServer } from './http/server.js';
export { createLogger } from './logging/logger.js';
export { runControllers } from './controllers.js';
export { continueTrace, traceIdOf, traceparentOf } from './telemetry/trace-context.js';
export { isLimit, Sandbox } from './sandbox/sandbox.js';
