import { TypedError } from '@interlock/api';
import type { ScmPlugin } from './scm.js';

/** The plugin that a spec of a provider or of a repository selects. */
export interface Selected {
  plugin: ScmPlugin;
  /** The section of the spec for the plugin. */
  section: unknown;
}

/** The field of a spec for loaded plugins: `plugin: {name, config}`. */
const externalField = 'plugin';

/** Finds the plugin of a spec. */
export class PluginSelection {
  readonly #builtIn: ReadonlyMap<string, ScmPlugin>;
  readonly #external: ReadonlyMap<string, ScmPlugin>;

  /** @throws TypedError `Invalid` when two plugins have the same name. */
  constructor(builtIn: readonly ScmPlugin[], external: readonly ScmPlugin[]) {
    this.#builtIn = byName(builtIn);
    this.#external = byName(external);
    // Both are keys of `status.plugin`.
    byName([...builtIn, ...external]);
  }

  /** @throws TypedError `Invalid` naming the fields when there is none, or more than one. */
  of(spec: object): Selected {
    const present = [...this.#builtIn.keys(), externalField].filter(
      (name) => fieldOf(spec, name) !== undefined,
    );
    const [name] = present;
    if (name !== undefined && present.length === 1) {
      const section = fieldOf(spec, name);
      const plugin = this.#builtIn.get(name);
      return plugin === undefined ? this.#externalOf(section) : { plugin, section };
    }
    const known = [...this.#builtIn.keys(), externalField].map((field) => `spec.${field}`).join(', ');
    const given = present.map((field) => `spec.${field}`).join(' and ');
    throw new TypedError(
      'Invalid',
      name === undefined
        ? `spec does not name an SCM that is supported here; set one of: ${known}`
        : `spec names more than one SCM (${given}); set one`,
      { reason: 'UnknownScm' },
    );
  }

  /** Returns the section of a plugin in the spec of a repository; undefined if it is for another plugin. */
  sectionFor(plugin: ScmPlugin, spec: object): unknown {
    if (this.#builtIn.has(plugin.name)) return fieldOf(spec, plugin.name);
    const section = fieldOf(spec, externalField);
    return nameOf(section) === plugin.name ? configOf(section) : undefined;
  }

  /** Returns how a spec names a plugin, for messages, such as `spec.github`. */
  fieldFor({ name }: ScmPlugin): string {
    return this.#builtIn.has(name) ? `spec.${name}` : `spec.${externalField} with name ${name}`;
  }

  #externalOf(section: unknown): Selected {
    const name = nameOf(section);
    const plugin = name === undefined ? undefined : this.#external.get(name);
    if (plugin !== undefined) return { plugin, section: configOf(section) };
    const loaded = [...this.#external.keys()].join(', ') || 'none';
    throw new TypedError(
      'Invalid',
      `spec.${externalField}.name: no plugin ${JSON.stringify(name ?? '')} is loaded (loaded: ${loaded}); start the process with --scm-plugin and the module that exports it`,
      { reason: 'UnknownScm' },
    );
  }
}

function byName(plugins: readonly ScmPlugin[]): Map<string, ScmPlugin> {
  const found = new Map<string, ScmPlugin>();
  for (const plugin of plugins) {
    if (found.has(plugin.name)) {
      throw new TypedError('Invalid', `two SCM plugins have the name ${plugin.name}; load only one of them`, {
        reason: 'ScmPluginInvalid',
      });
    }
    found.set(plugin.name, plugin);
  }
  return found;
}

function nameOf(section: unknown): string | undefined {
  const name = typeof section === 'object' && section !== null ? fieldOf(section, 'name') : undefined;
  return typeof name === 'string' ? name : undefined;
}

function configOf(section: unknown): unknown {
  return (typeof section === 'object' && section !== null ? fieldOf(section, 'config') : undefined) ?? {};
}

function fieldOf(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}
