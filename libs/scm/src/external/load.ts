import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TypedError, isTyped } from '@interlock/api';
import type { ScmPlugin } from '../scm.js';
import { silentWebhook, type WebhookReceiver } from '../webhook.js';
import { scmPluginApiVersion, type ExternalScmPlugin } from './external-plugin.js';
import { scmToolkit } from './toolkit.js';

const namePattern = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/**
 * Loads external plugins.
 *
 * @param modules for each plugin its path (absolute, `file:`, or relative to `directory` if it begins with `.`), or the name
 *   of a package that is installed with the program.
 * @throws TypedError `Invalid` naming the module, what is wrong with its export `plugin`, and what to do.
 */
export async function loadScmPlugins(
  modules: readonly string[],
  directory = process.cwd(),
): Promise<ScmPlugin[]> {
  return Promise.all(modules.map((module) => load(module, directory)));
}

async function load(module: string, directory: string): Promise<ScmPlugin> {
  const loaded = await importModule(module, directory);
  const plugin = isObject(loaded) ? loaded['plugin'] : undefined;
  if (!isPlugin(plugin)) throw invalid(`--scm-plugin ${module}: ${problemOf(plugin)}`);
  return adapt(plugin);
}

function isPlugin(plugin: unknown): plugin is ExternalScmPlugin {
  return problemOf(plugin) === undefined;
}

/** Returns the problems with an export, and what to do; undefined for a plugin that this program supports. */
function problemOf(plugin: unknown): string | undefined {
  if (!isObject(plugin)) {
    return 'the module does not export an object `plugin`; write `export const plugin = { … }`, see docs/scm.md';
  }
  const { name, apiVersion, connect, origins, webhook } = plugin;
  if (apiVersion !== scmPluginApiVersion) {
    return `plugin.apiVersion is ${JSON.stringify(apiVersion)}; this program supports ${scmPluginApiVersion}: use a version of the plugin that supports the same version`;
  }
  if (typeof name !== 'string' || !namePattern.test(name)) {
    return 'plugin.name must be lower-case letters, digits, - and .; it is the value of spec.plugin.name of an ScmProvider';
  }
  if (typeof connect !== 'function') return 'plugin.connect must be a function';
  if (typeof origins !== 'function') {
    return 'plugin.origins must be a function that returns the servers of a provider, such as https://git.example.com';
  }
  const missing = ['verify', 'parse', 'concerns'].find(
    (method) => !isObject(webhook) || typeof webhook[method] !== 'function',
  );
  if (webhook === undefined || missing === undefined) return undefined;
  return `plugin.webhook.${missing} must be a function; omit plugin.webhook if the SCM has no webhooks`;
}

async function importModule(module: string, directory: string): Promise<unknown> {
  const isPath = module.startsWith('.') || isAbsolute(module);
  const specifier = isPath ? pathToFileURL(resolve(directory, module)).href : module;
  try {
    return await import(specifier);
  } catch (error) {
    throw invalid(
      `--scm-plugin ${module}: cannot be loaded as an ECMAScript module: ${textOf(error)}; name a file (.mjs) or an installed package`,
      error,
    );
  }
}

/** Returns an adapter for the plugin: with the toolkit in its context, and with typed failures of its parser. */
function adapt(external: ExternalScmPlugin): ScmPlugin {
  return {
    name: external.name,
    webhook: external.webhook === undefined ? silentWebhook : typed(external.webhook),
    origins: (section) => external.origins(section, scmToolkit),
    connect: (connection, context) => external.connect(connection, { ...context, toolkit: scmToolkit }),
  };
}

/**
 * Returns a receiver that throws only typed errors. The receiver of a plugin has no context, so it may throw any
 * error.
 */
function typed(webhook: WebhookReceiver): WebhookReceiver {
  return {
    signatureHeaders: webhook.signatureHeaders,
    verify: (headers, body, secret) => secret !== '' && webhook.verify(headers, body, secret) === true,
    parse(headers, body) {
      try {
        return webhook.parse(headers, body);
      } catch (error) {
        throw isTyped(error) ? error : new TypedError('Invalid', textOf(error), { cause: error });
      }
    },
    concerns(event, section) {
      try {
        return webhook.concerns(event, section) === true;
      } catch {
        /* The section is untyped: one that the plugin cannot read must not stop an event about other repositories. */
        return false;
      }
    },
  };
}

function invalid(message: string, cause?: unknown): TypedError {
  return new TypedError('Invalid', message, { reason: 'ScmPluginInvalid', cause });
}

/**
 * Returns the message of a thrown value. Errors of a module may come from another realm, so `instanceof Error` does
 * not recognize them.
 */
function textOf(error: unknown): string {
  return isObject(error) && typeof error['message'] === 'string' ? error['message'] : String(error);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
