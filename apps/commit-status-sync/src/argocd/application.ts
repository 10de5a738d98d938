import { argoApplication, type Kind, type KubeObject } from '@interlock/api';
import * as z from 'zod';
import { keptMetadata } from '../sources/foreign.js';

const source = z.object({ repoURL: z.string().optional(), targetRevision: z.string().optional() });
const revisions = { revision: z.string().optional(), revisions: z.array(z.string()).optional() };

/* The fields that are read (Argo CD documentation, "Application Specification" and "Source Hydrator"). */
const spec = z.object({
  source: source.optional(),
  sources: z.array(source).optional(),
  sourceHydrator: z
    .object({
      drySource: z.object({ repoURL: z.string().optional() }).optional(),
      syncSource: z
        .object({ repoURL: z.string().optional(), targetBranch: z.string().optional() })
        .optional(),
    })
    .optional(),
});

const status = z.object({
  health: z
    .object({
      status: z.string().optional(),
      message: z.string().optional(),
      lastTransitionTime: z.string().optional(),
    })
    .optional(),
  /* The revision that the live state was compared with, or that of each of several sources. */
  sync: z.object({ status: z.string().optional(), ...revisions }).optional(),
  operationState: z
    .object({
      phase: z.string().optional(),
      message: z.string().optional(),
      syncResult: z.object(revisions).optional(),
    })
    .optional(),
  conditions: z.array(z.object({ type: z.string().optional(), message: z.string().optional() })).optional(),
});

export type ApplicationSpec = z.output<typeof spec>;
export type ApplicationStatus = z.output<typeof status>;

/** The fields of an Argo CD Application that the app reads. */
export interface Application extends KubeObject {
  spec: ApplicationSpec;
  status: ApplicationStatus;
}

export const Application: Kind<Application> = argoApplication;

/**
 * Returns the part of an Application that the cache keeps, because an Application lists all its resources and changes at every
 * comparison. An Application of another shape has no known fields, and is therefore never healthy.
 */
export function trimApplication(raw: KubeObject & { spec?: unknown; status?: unknown }): Application {
  const { apiVersion, kind, metadata } = raw;
  return {
    apiVersion,
    kind,
    metadata: keptMetadata(metadata),
    spec: spec.safeParse(raw.spec).data ?? {},
    status: status.safeParse(raw.status).data ?? {},
  };
}
