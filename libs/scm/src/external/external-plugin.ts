import type { Scm, ScmConnection, ScmContext } from '../scm.js';
import type { WebhookReceiver } from '../webhook.js';
import type { ScmToolkit } from './toolkit.js';

/** Incremented when plugins of earlier versions would no longer work. */
export const scmPluginApiVersion = 2;

/** The additional context of a loaded plugin. */
export interface ExternalScmContext extends ScmContext {
  /** The helpers that the plugin needs at run time, so that it imports only types. */
  readonly toolkit: ScmToolkit;
}

/** The export `plugin` of a module that is named by `--scm-plugin`. */
export interface ExternalScmPlugin {
  readonly apiVersion: typeof scmPluginApiVersion;
  /** The value of `spec.plugin.name`. It must not be the name of a built-in plugin. */
  readonly name: string;
  /** Absent if the SCM sends no webhooks; repositories are then polled. */
  readonly webhook?: WebhookReceiver;
  /**
   * Returns the origins of a provider, as in `ScmPlugin`. `toolkit.originOf` converts a host to an origin, and refuses
   * malformed hosts.
   */
  origins(section: unknown, toolkit: ScmToolkit): readonly string[];
  /** Connects an account, as in `ScmPlugin`; the sections of the connection and of its repositories are `spec.plugin.config`. */
  connect(connection: ScmConnection, context: ExternalScmContext): Scm;
}
