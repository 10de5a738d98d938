import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TypedError, isTyped } from '@interlock/api';
import type { ScmPlugin } from '../scm.js';
import { silentWebhook, type WebhookReceiver } from '../webhook.js';
import { scmPluginApiVersion, type ExternalScmPlugin } from './external-plugin.js';
import { scmToolkit } from './toolkit.js';

const namePattern = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/**
 * Loads plugins that do not come with the product.
 *
 * @param modules of each the path (absolute, `file:`, or beginning with `.`: from `directory`), or the name of a package that is
 *   installed where the program is.
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

/** Returns what is wrong with an export, and what to do; undefined: it is a plugin for this program. */
function problemOf(plugin: unknown): string | undefined {
  if (!isObject(plugin)) {
    return 'the module does not export an object `plugin`; write `export const plugin = { … }`, see docs/scm.md';
  }
  const { name, apiVersion, connect, origins, webhook } = plugin;
  if (apiVersion !== scmPluginApiVersion) {
    return `plugin.apiVersion is ${JSON.stringify(apiVersion)}; this program supports ${scmPluginApiVersion}: use a version of the plugin that is made for it`;
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

/** Returns the plugin as one of ours: with the toolkit in its context, and with failures of its parser that have a type. */
function adapt(external: ExternalScmPlugin): ScmPlugin {
  return {
    name: external.name,
    webhook: external.webhook === undefined ? silentWebhook : typed(external.webhook),
    origins: (section) => external.origins(section, scmToolkit),
    connect: (connection, context) => external.connect(connection, { ...context, toolkit: scmToolkit }),
  };
}

/** A receiver has no context, so that what it throws may be any error. */
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
    concerns: (event, section) => webhook.concerns(event, section),
  };
}

function invalid(message: string, cause?: unknown): TypedError {
  return new TypedError('Invalid', message, { reason: 'ScmPluginInvalid', cause });
}

/** What a module throws may come from another realm, so that it is no `instanceof Error` here. */
function textOf(error: unknown): string {
  return isObject(error) && typeof error['message'] === 'string' ? error['message'] : String(error);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
