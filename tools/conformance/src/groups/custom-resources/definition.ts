import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'expect';
import type { Answer, CallOptions } from '../../suite/api.js';
import type { Body, StatusCause } from '../../suite/body.js';
import type { ConformanceCase } from '../../suite/case.js';
import type { Scope } from '../../suite/scope.js';

export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const pollMs = 50;

/** Cases by the names of their rules. */
export type Cases = Readonly<Record<string, ConformanceCase['run']>>;

/** A JSON object whose shape is known to the case. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a definition that a case specifies; the others are set by {@link definitionOf}. */
interface DefinitionParts {
  /** Schema of `.spec`; default: an object that keeps unknown fields. */
  spec?: Fields;
  /** Schema of `.status`; default: none. */
  status?: Fields;
  /** The whole schema instead of `spec` and `status`. */
  schema?: Fields;
  /** Additional fields of the version. */
  version?: Fields;
  /** All versions; fields that a version omits are those of the default version: `v1`, served and stored. */
  versions?: readonly Fields[];
  /** Additional fields of `spec.names`. */
  names?: Fields;
  /** Additional fields of the definition's `spec`. */
  more?: Fields;
}

/** Returns the schema of an object with properties. */
export function objectOf(properties: Fields, more: Fields = {}): Fields {
  return { type: 'object', ...more, properties };
}

export const text = { type: 'string' };
export const whole = { type: 'integer' };

function schemaOf({ spec, status, schema }: DefinitionParts): Fields {
  if (schema !== undefined) return schema;
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return objectOf({ spec: spec ?? open, ...(status === undefined ? {} : { status }) });
}

/** Returns a definition of namespaced widgets, in a group that no other case uses. */
export function definitionOf(scope: Scope, parts: DefinitionParts = {}): Body & { spec: Fields } {
  const group = `${scope.name('crd')}.example.com`;
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schemaOf(parts) },
    ...parts.version,
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget', ...parts.names },
      versions: (parts.versions ?? [{}]).map((one) => ({ ...version, ...one })),
      ...parts.more,
    },
  } as unknown as Body & { spec: Fields };
}

/** A kind of custom resources that the server serves. */
export class Widgets {
  readonly group: string;
  /** Path of the definition. */
  readonly definition: string;
  readonly #scope: Scope;
  readonly #cluster: boolean;
  #revision = 0;

  constructor(scope: Scope, { metadata, spec }: Body & { spec: Fields }) {
    this.#scope = scope;
    this.group = String(spec['group']);
    this.definition = `${definitions}/${metadata.name}`;
    this.#cluster = spec['scope'] === 'Cluster';
  }

  /** Returns the path of the collection. */
  list(version = 'v1'): string {
    const place = this.#cluster ? '' : `/namespaces/${this.#scope.namespace}`;
    return `/apis/${this.group}/${version}${place}/widgets`;
  }

  /** Returns the path of an object, or of a subresource of it (`name/status`). */
  path(name: string, version?: string): string {
    return `${this.list(version)}/${name}`;
  }

  /** Returns an object to create. */
  object(name: string, fields: Fields = {}, metadata: Fields = {}, version = 'v1'): Fields {
    return {
      apiVersion: `${this.group}/${version}`,
      kind: 'Widget',
      metadata: { name, ...metadata },
      ...fields,
    };
  }

  create(
    name: string,
    fields: Fields = {},
    options: CallOptions & { metadata?: Fields } = {},
  ): Promise<Answer> {
    const { metadata, ...call } = options;
    return this.#scope.api.post(this.list(), this.object(name, fields, metadata), call);
  }

  /** Creates an object. @returns the stored object. @throws if it is refused */
  async make(name: string, fields: Fields = {}, metadata: Fields = {}): Promise<Body> {
    const { status, body } = await this.create(name, fields, { metadata });
    expect({ status, message: body.message }).toEqual({ status: 201, message: undefined });
    return body;
  }

  /** Creates an object with a finalizer, which is removed after the case if it still exists. */
  async hold(name: string, finalizer: string): Promise<Body> {
    const release = { metadata: { finalizers: null } };
    this.#scope.cleanup((api) => api.patch(this.path(name), 'merge', release));
    return this.make(name, {}, { finalizers: [finalizer] });
  }

  /** Creates an object that violates the schema. @returns the causes of the refusal */
  async refused(fields: Fields, name = 'refused'): Promise<StatusCause[]> {
    return causesOf(await this.create(name, fields));
  }

  merge(name: string, patch: Fields, version?: string): Promise<Answer> {
    return this.#scope.api.patch(this.path(name, version), 'merge', patch);
  }

  apply(name: string, manager: string, fields: Fields, options?: CallOptions): Promise<Answer> {
    return this.#scope.api.apply(
      this.path(name),
      manager,
      { ...this.object(name.split('/')[0] ?? '', fields) },
      options,
    );
  }

  /**
   * Changes the definition and waits until it takes effect. Each change also adds a print column, because the server
   * applies columns and schema together.
   */
  async redefine(
    change: (version: Record<string, unknown>, spec: Record<string, unknown>) => void,
  ): Promise<void> {
    const marker = `Revision ${++this.#revision}`;
    const { body } = await this.#scope.api.get(this.definition);
    const spec = body.spec as Record<string, unknown> & { versions: Record<string, unknown>[] };
    for (const version of spec.versions) {
      version['additionalPrinterColumns'] = [{ name: marker, type: 'string', jsonPath: '.metadata.name' }];
      change(version, spec);
    }
    expect(await this.#scope.api.put(this.definition, body)).toMatchObject({ status: 200 });
    const served = spec.versions.find((version) => version['served'] === true);
    await this.#until(String(served?.['name']), marker);
  }

  async #until(version: string, marker: string): Promise<void> {
    for (;;) {
      const table = await this.#scope.api.get(this.list(version), { accept: tableOnly });
      if (table.text.includes(marker)) return;
      await delay(pollMs);
    }
  }
}

export const tableOnly = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** Creates a definition, which is deleted after the case, and waits until the server serves its objects. */
export async function define(scope: Scope, parts: DefinitionParts = {}): Promise<Widgets> {
  const definition = definitionOf(scope, parts);
  const widgets = new Widgets(scope, definition);
  scope.deleteAfterwards(widgets.definition);
  const { status, body } = await scope.api.post(definitions, definition);
  expect({ status, message: body.message }).toEqual({ status: 201, message: undefined });
  await scope.eventually(
    widgets.definition,
    ({ body }) => conditionOf(body, 'Established')?.['status'] === 'True',
  );
  const served = (parts.versions ?? [{}]).find((version) => version['served'] !== false);
  await scope.eventually(widgets.list(String(served?.['name'] ?? 'v1')), ({ status }) => status === 200);
  return widgets;
}

/** Returns a condition of an object's status. */
export function conditionOf({ status }: Body, type: string): Fields | undefined {
  const { conditions } = (status ?? {}) as { conditions?: Fields[] | null };
  return conditions?.find((condition) => condition['type'] === type);
}

/** Validates a definition in a dry run. @returns the causes, or none if it is accepted */
export async function check(scope: Scope, parts: DefinitionParts): Promise<StatusCause[]> {
  const answer = await scope.api.post(definitions, definitionOf(scope, parts), { query: { dryRun: 'All' } });
  return answer.status === 201 ? [] : causesOf(answer);
}

/** Returns the causes of a 422 response. @throws for any other response */
export function causesOf({ status, body }: Answer): StatusCause[] {
  expect({ status, body }).toMatchObject({
    status: 422,
    body: { kind: 'Status', status: 'Failure', reason: 'Invalid', code: 422 },
  });
  return body.details?.causes ?? [];
}

/** Returns a matcher for a cause: a part of its message, its field and its reason. */
export function cause(field: string, message: string, reason = 'FieldValueInvalid'): object {
  return { field, reason, message: expect.stringContaining(message) };
}

/** The last cause of a refusal if the server did not check all rules. */
export const unchecked = cause(
  '<nil>',
  'some validation rules were not checked because the object was invalid',
);
