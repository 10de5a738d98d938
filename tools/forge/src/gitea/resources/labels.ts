import * as z from 'zod';
import type { Label } from '../../domain/model.js';
import { repositoryRoute, type GiteaRoute, type RepositoryCall } from '../call.js';
import { notFound } from '../errors.js';
import { presentLabel } from '../present/present.js';
import { pullOf } from './pulls.js';

const createRequest = z.object({
  name: z.string().min(1),
  color: z.string(),
  description: z.string().optional(),
});
const addRequest = z.object({ labels: z.array(z.int()).max(100) });
const ofPull = '/issues/{index}/labels';

/** REST API, "issue": labels, which are named by their ids. */
export const labelRoutes: GiteaRoute[] = [
  repositoryRoute('GET /labels', 'issues:read', (call) => call.list(call.repository.labels, presentLabel)),
  repositoryRoute('POST /labels', 'issues:write', (call) => {
    const { name, color, description = null } = call.read(createRequest);
    const wanted = { name, color: color.replace(/^#/, ''), description };
    return { status: 201, body: presentLabel(call.domain.labels.create(call.repository, wanted)) };
  }),
  repositoryRoute(`GET ${ofPull}`, 'issues:read', (call) => call.list(labelsOf(call), presentLabel)),
  repositoryRoute(`POST ${ofPull}`, 'issues:write', (call) => {
    const names = call.read(addRequest).labels.map((id) => labelOf(call, id).name);
    call.domain.labels.add(call.repository, call.actor.account, pullOf(call), names);
    return { status: 200, body: labelsOf(call).map(presentLabel) };
  }),
  repositoryRoute(`DELETE ${ofPull}/{id}`, 'issues:write', (call) => {
    const { name } = labelOf(call, call.number('id'));
    call.domain.labels.remove(call.repository, call.actor.account, pullOf(call), name);
    return { status: 204 };
  }),
];

function labelsOf(call: RepositoryCall): Label[] {
  return call.domain.labels.of(call.repository, pullOf(call));
}

function labelOf({ repository }: RepositoryCall, id: number): Label {
  const label = repository.labels.find((known) => known.id === id);
  if (label === undefined) throw notFound();
  return label;
}
