/** The environments of the demo, in the order of promotion. */
export const demoEnvironments = ['dev', 'test', 'prod'] as const;
export type DemoEnvironment = (typeof demoEnvironments)[number];

export const environmentBranch = (environment: DemoEnvironment): string => `environments/${environment}`;

const replicas: Record<DemoEnvironment, number> = { dev: 1, test: 2, prod: 3 };

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
spec:
  selector:
    matchLabels: { app: shop }
  template:
    metadata:
      labels: { app: shop }
    spec:
      containers:
        - name: shop
          image: registry.example/shop
`;

const service = `apiVersion: v1
kind: Service
metadata:
  name: shop
spec:
  selector: { app: shop }
  ports:
    - port: 80
`;

/** A change of the demo: the subject of the commit, and the version that it releases. */
export interface DemoChange {
  message: string;
  version: string;
}

export const demoChanges: readonly DemoChange[] = [
  { message: 'Open the shop', version: '1.0.0' },
  { message: 'Sell tea', version: '1.1.0' },
  { message: 'Sell cake, too', version: '1.2.0' },
];

/** Returns the files of the dry branch for a version: a base, and an overlay for each environment. */
export function drySources(version: string): Map<string, string> {
  const overlays = demoEnvironments.map((environment): [string, string] => [
    `overlays/${environment}/kustomization.yaml`,
    `resources: [../../base]
namespace: shop-${environment}
replicas:
  - name: shop
    count: ${replicas[environment]}
images:
  - name: registry.example/shop
    newTag: ${version}
`,
  ]);
  return new Map([
    ['base/kustomization.yaml', 'resources: [deployment.yaml, service.yaml]\n'],
    ['base/deployment.yaml', deployment],
    ['base/service.yaml', service],
    ...overlays,
  ]);
}
