import type { EventResponse, SecurityEvent } from '@interlock/api';
import { templateData, type TemplateFacts } from './context.js';
import { evaluate } from './evaluate.js';
import { parseTemplate } from './parse.js';

const apiVersion = 'security.ugallu.io/v1alpha1';
const limits = { maxSteps: 20_000, maxValue: 1024, accepts: () => true };
const text = 'x';

/** Data in which each field of the API is empty. */
const emptyFacts: TemplateFacts = {
  event: undefined,
  response: {
    apiVersion,
    kind: 'EventResponse',
    metadata: { name: '' },
    spec: { responder: {}, action: { type: '' } },
  } satisfies EventResponse,
  cluster: { id: '', name: '' },
  route: { index: 0, provider: '', repository: '', baseBranch: '' },
  change: { files: [], added: 0, removed: 0, digest: '' },
};

/** Data in which lists have an item, so that the parts of a template about items are evaluated as well. */
const sampleFacts: TemplateFacts = {
  ...emptyFacts,
  event: {
    apiVersion,
    kind: 'SecurityEvent',
    metadata: { name: text },
    spec: { type: text, subject: { kind: text, name: text }, signals: [text] },
  } satisfies SecurityEvent,
  change: { files: [{ path: text, change: text }], added: 1, removed: 1, digest: text },
};

/**
 * Checks a template before there is anything to render: it has to render with empty data, and each of its branches may name
 * only fields that exist.
 *
 * @param hasGate whether the route names a gate.
 * @throws TypedError `Invalid` (`TemplateInvalid`) with the line and the column.
 */
export function checkTemplate(template: string, hasGate = false): void {
  const nodes = parseTemplate(template);
  const gate = hasGate ? { name: text, namespace: text, open: false, reason: text } : undefined;
  evaluate(nodes, templateData({ ...emptyFacts, gate }), limits);
  evaluate(nodes, templateData({ ...sampleFacts, gate }), { ...limits, everyBranch: true });
}
