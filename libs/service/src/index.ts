export {
  admissionCertificates,
  certificateFiles,
  type AdmissionCertificateOptions,
} from './admission/certificates.js';
export { judgeChange, verdictOn } from './admission/verdict.js';
export { annotationPatch } from './admission/patch.js';
export { mutating, validating, type AdmissionRoute } from './admission/routes.js';
export { admissionServer, type AdmissionServerOptions } from './admission/server.js';
export type * from './admission/types.js';
export type { WebhookConfigurations } from './certificates/ca-bundle.js';
export { fileCertificates, type FileCertificatesOptions } from './certificates/file-source.js';
export { secretCertificates, type SecretCertificatesOptions } from './certificates/secret-source.js';
export { keepCertificates, type StoredCertificatesOptions } from './certificates/stored.js';
export type { CertificateSource, ServingCertificate } from './certificates/types.js';
export { formatDuration, parseDuration } from './durations.js';
export {
  booleanFlag,
  durationFlag,
  enumFlag,
  integerFlag,
  listFlag,
  stringFlag,
  UsageError,
  type Flag,
  type Flags,
  type FlagValues,
} from './flags/define.js';
export { hostFlags, pluginFlags, webhookFlags } from './flags/scm.js';
export { parseFlags, type CommandDefinition, type Environment, type Parsed } from './flags/parse.js';
export { addressFlag, parseBindAddress, type BindAddress } from './http/address.js';
export type { BodyAdmission, RequestAdmission } from './http/admission.js';
export { HttpServer, type HttpServerOptions } from './http/http-server.js';
export type { Check } from './http/probes.js';
export { startServer, type RunningServer, type ServerOptions } from './http/server.js';
export { createLogger, type LoggerOptions, type LogLevel } from './logging/logger.js';
export { redactText } from './logging/redact.js';
export { commonFlags, runService, type ServiceContext, type ServiceDefinition } from './service.js';
export {
  controllerFlags,
  runControllers,
  type ControllerServiceContext,
  type ControllerServiceDefinition,
} from './controllers.js';
export { continueTrace, traceIdOf, traceparentOf } from './telemetry/trace-context.js';
export { isLimit, Sandbox, type SandboxOptions } from './sandbox/sandbox.js';
export type { SandboxLimits } from './sandbox/worker.js';
