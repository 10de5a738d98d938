import type { Scm, ScmConnection, ScmContext } from '../scm.js';
import type { WebhookReceiver } from '../webhook.js';
import type { ScmToolkit } from './toolkit.js';

/** Raised when a plugin that worked before would no longer work. */
export const scmPluginApiVersion = 2;

/** What the context of a loaded plugin has besides. */
export interface ExternalScmContext extends ScmContext {
  /** What the plugin needs of us at run time, so that it imports nothing but types. */
  readonly toolkit: ScmToolkit;
}

/** The export `plugin` of a module that is named by `--scm-plugin`. */
export interface ExternalScmPlugin {
  readonly apiVersion: typeof scmPluginApiVersion;
  /** What `spec.plugin.name` says. Not the name of a plugin that comes with the product. */
  readonly name: string;
  /** Absent: the SCM sends no webhooks, and repositories are polled. */
  readonly webhook?: WebhookReceiver;
  /** As that of `ScmPlugin`. `toolkit.originOf` makes an origin of a host, and refuses what is not one. */
  origins(section: unknown, toolkit: ScmToolkit): readonly string[];
  /** As that of `ScmPlugin`; the sections of the connection and of its repositories are `spec.plugin.config`. */
  connect(connection: ScmConnection, context: ExternalScmContext): Scm;
}
