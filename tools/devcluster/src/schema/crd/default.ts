import type { CustomResourceDefinition } from './model.js';

const webhookPort = 443;

/**
 * Fills in, in place, what the API server defaults in a CustomResourceDefinition: the singular and list names and the
 * conversion strategy. Does not change `status`, which the server writes.
 */
export function defaultCustomResourceDefinition(crd: CustomResourceDefinition): void {
  const { spec } = crd;
  if (spec === undefined) return;
  const { names } = spec;
  if (names?.kind !== undefined && names.kind !== '') {
    if ((names.singular ?? '') === '') names.singular = names.kind.toLowerCase();
    if ((names.listKind ?? '') === '') names.listKind = `${names.kind}List`;
  }
  spec.conversion ??= { strategy: 'None' };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service !== undefined) service.port ??= webhookPort;
  if (spec.preserveUnknownFields === false) delete spec.preserveUnknownFields;
}
