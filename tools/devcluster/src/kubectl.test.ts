import { spawn, type ChildProcess } from 'node:child_process';
import { afterAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { configMap, gadget, gadgetDefinition } from './testing/harness.js';
import { hasKubectl, useKubectl } from './testing/kubectl.js';

const { cluster, environment, kubectl, run } = useKubectl();
const watches = new Set<ChildProcess>();

afterAll(() => {
  for (const child of watches) child.kill();
});

(hasKubectl ? describe : describe.skip)('kubectl', () => {
  it('applies, changes, gets and deletes built-in objects', async () => {
    expect(await run('apply -f -', configMap('a', { x: '1' }))).toBe('configmap/a created\n');
    expect(await run('apply -f -', configMap('a', { x: '1' }))).toBe('configmap/a unchanged\n');
    expect(await run('apply -f -', configMap('a', { x: '2' }))).toBe('configmap/a configured\n');
    expect(await run('label cm a team=x')).toBe('configmap/a labeled\n');
    expect(await run('get cm -l team=x')).toMatch(/^NAME +DATA +AGE\na +1 +\d+s\n$/);
    expect(await run('get cm -A')).toContain('kube-root-ca.crt');
    expect(await run('patch cm a --type=json -p [{"op":"add","path":"/data/y","value":"3"}]')).toBe(
      'configmap/a patched\n',
    );
    const text = await run('get cm a -o yaml');
    expect(text).toContain('x: "2"\n');
    expect(await run('replace -f -', text.replace('x: "2"', 'x: "4"'))).toBe('configmap/a replaced\n');
    expect((await kubectl('replace -f -', text)).error).toContain('the object has been modified');
    expect(await run('describe cm a')).toContain('Data\n====');
    expect(await run('delete cm a')).toBe('configmap "a" deleted\n');
    expect((await kubectl('get cm a')).error).toBe(
      'Error from server (NotFound): configmaps "a" not found\n',
    );
  });

  it('creates objects with its own commands, which use protobuf', async () => {
    expect(await run('create namespace n1')).toBe('namespace/n1 created\n');
    await run('create configmap c -n n1 --from-literal=k=v');
    await run('create secret generic s -n n1 --from-literal=k=v');
    expect(await run('get secret s -n n1 -o jsonpath={.data.k}')).toBe('dg==');
    await run('create serviceaccount bot -n n1');
    await run('create role reader -n n1 --verb=get,list --resource=configmaps');
    await run('create rolebinding reader -n n1 --role=reader --serviceaccount=n1:bot');
    const token = (await run('create token bot -n n1')).trim();
    const asBot = `--kubeconfig=/dev/null --server=${cluster().url} --insecure-skip-tls-verify --token=${token}`;
    expect(await run(`auth can-i list configmaps -n n1 ${asBot}`)).toBe('yes\n');
    expect((await kubectl(`auth can-i delete configmaps -n n1 ${asBot}`)).out).toBe('no\n');
    expect(await run(`auth whoami ${asBot}`)).toContain('system:serviceaccount:n1:bot');
    await run('create deployment web -n n1 --image=nginx:1 --replicas=2 --port=80');
    await run('scale deployment web -n n1 --replicas=3');
    expect(await run('get deployment web -n n1 -o wide')).toMatch(
      /web +0\/3 +\d +0 +\d+s +nginx +nginx:1 +app=web/,
    );
    await run('create service clusterip web -n n1 --tcp=80:8080');
    expect(await run('get svc web -n n1')).toMatch(/web +ClusterIP +<none> +<none> +80\/TCP/);
    expect(await run('delete namespace n1')).toBe('namespace "n1" deleted\n');
    expect((await kubectl('get namespace n1')).code).toBe(1);
  });

  it('limits a namespace with quotas, and schedules pods by priority', async () => {
    await run('create namespace limited');
    await run('create priorityclass high --value=1000 --description=first');
    expect(await run('get pc high')).toMatch(/^high +1000 +false +\d+s +PreemptLowerPriority$/m);
    await run('create quota small -n limited --hard=pods=1,requests.cpu=1');
    await run('create quota best -n limited --hard=pods=0 --scopes=BestEffort');
    await run('wait --for=jsonpath={.status.hard.pods}=0 quota/best -n limited --timeout=60s');
    const resources = { requests: { cpu: '500m' } };
    const spec = { priorityClassName: 'high', containers: [{ name: 'c', image: 'x:1', resources }] };
    const pod = (name: string): object => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
    await run('create -n limited -f -', pod('a'));
    expect(await run('get pod a -n limited -o jsonpath={.spec.priority}')).toBe('1000');
    expect((await kubectl('create -n limited -f -', pod('b'))).error).toContain(
      'pods "b" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1',
    );
    expect(await run('describe quota small -n limited')).toMatch(/pods +1 +1\nrequests.cpu +500m +1/);
    await run('delete namespace limited');
  });

  it('lists, explains, applies and validates custom resources', async () => {
    await run('apply --server-side -f -', gadgetDefinition({ subresources: { status: {} } }));
    await run('wait --for=condition=Established crd/gadgets.test.dev --timeout=60s');
    expect(await run('api-resources --api-group=test.dev')).toMatch(
      /gadgets +gd +test.dev\/v1 +true +Gadget/,
    );
    expect(await run('explain gadget.spec.parts.size')).toContain('FIELD: size <integer>');
    expect(await run('explain pod.spec.containers.livenessProbe.httpGet')).toContain(
      'FIELD: httpGet <Object>',
    );
    expect(await run('apply --server-side -f -', gadget('g', { replicas: 1 }))).toBe(
      'gadget.test.dev/g serverside-applied\n',
    );
    expect((await kubectl('apply --server-side -f -', gadget('h', { nope: 1 }))).error).toContain(
      '.spec.nope: field not declared in schema',
    );
    expect((await kubectl('apply -f -', gadget('h', { nope: 1 }))).error).toContain(
      'unknown field "spec.nope"',
    );
    expect((await kubectl('apply -f -', gadget('h', { replicas: 100 }))).error).toContain('too many');
    const waiting = run('wait --for=jsonpath={.status.phase}=Ready gd/g --timeout=60s');
    await run('patch gd g --subresource=status --type=merge -p {"status":{"phase":"Ready"}}');
    expect(await waiting).toBe('gadget.test.dev/g condition met\n');
    expect(await run('describe gd g')).toContain('Phase:  Ready');
    await run('patch gd g --type=merge -p {"metadata":{"finalizers":["test.dev/x"]}}');
    await run('delete gd g --wait=false');
    const deleted = run('wait --for=delete gd/g --timeout=60s');
    await run('patch gd g --type=merge -p {"metadata":{"finalizers":null}}');
    await deleted;
    expect(await run('get gd')).toBe('');
    await run('delete crd gadgets.test.dev');
  });

  it('gets the objects that belong to Services and budgets, and drains a node as far as a budget allows', async () => {
    await run('apply -f -', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } });
    await run('create service clusterip web --tcp=80:8080');
    for (const name of ['a', 'b']) {
      const metadata = { name, labels: { app: 'web' } };
      const spec = { nodeName: 'node-a', containers: [{ name: 'c', image: 'web:1' }] };
      await run('apply -f -', { apiVersion: 'v1', kind: 'Pod', metadata, spec });
      const ip = name === 'a' ? '10.0.0.1' : '10.0.0.2';
      const conditions = [{ type: 'Ready', status: 'True' }];
      const status = JSON.stringify({
        status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions },
      });
      await run(`patch pod ${name} --subresource=status --type=merge -p ${status}`);
    }
    await run('create pdb web --selector=app=web --min-available=2');
    await run('wait --for=jsonpath={.status.currentHealthy}=2 pdb/web --timeout=60s');
    await run('wait --for=jsonpath={.subsets[0].addresses[1].ip}=10.0.0.2 endpoints/web --timeout=60s');
    expect(await run('get pdb')).toMatch(
      /^NAME +MIN AVAILABLE +MAX UNAVAILABLE +ALLOWED DISRUPTIONS +AGE\nweb +2 +N\/A +0 +\d+s\n$/,
    );
    expect(await run('get endpoints web')).toMatch(
      /^NAME +ENDPOINTS +AGE\nweb +10.0.0.1:8080,10.0.0.2:8080 +\d+s\n$/,
    );
    expect(await run('get endpointslices -l kubernetes.io/service-name=web')).toMatch(
      /^NAME +ADDRESSTYPE +PORTS +ENDPOINTS +AGE\nweb-\w+ +IPv4 +8080 +10.0.0.1,10.0.0.2 +\d+s\n$/,
    );
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' };
    const autoscaler = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web' },
    };
    const policy = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'web' } };
    const items = [
      { ...autoscaler, spec: { scaleTargetRef, maxReplicas: 5 } },
      { ...policy, spec: { podSelector: { matchLabels: { app: 'web' } } } },
    ];
    await run('apply -f -', items.map((item) => stringify(item)).join('---\n'));
    const shown = await run('get hpa,netpol');
    expect(shown).toMatch(/NAME +REFERENCE +TARGETS +MINPODS +MAXPODS +REPLICAS +AGE\n/);
    expect(shown).toMatch(/\/web +Deployment\/none +cpu: <unknown>\/80% +1 +5 +0 +\d+s\n/);
    expect(shown).toMatch(/NAME +POD-SELECTOR +AGE\nnetworkpolicy\S+ +app=web +\d+s\n/);
    const blocked = await kubectl('drain node-a --force --timeout=1s');
    expect(blocked.error).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
    expect(await run('get pods --no-headers')).toMatch(/a +0\/1 +Running.*\nb +0\/1 +Running/);
    await run('patch pdb web --type=merge -p {"spec":{"minAvailable":0}}');
    await run('wait --for=jsonpath={.status.disruptionsAllowed}=2 pdb/web --timeout=60s');
    expect(await run('drain node-a --force --grace-period=0 --timeout=60s')).toContain('pod/b evicted');
    expect(await run('get pods')).toBe('');
    expect(await run('get node node-a --no-headers')).toMatch(/node-a +Unknown,SchedulingDisabled/);
  });

  it('reports unsupported features of the server', async () => {
    const spec = { containers: [{ name: 'c', image: 'x:1' }] };
    await run('apply -f -', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'still' }, spec });
    await run('patch pod still --subresource=status --type=merge -p {"status":{"phase":"Running"}}');
    for (const [command, subresource] of [
      ['exec still -- true', 'exec'],
      ['attach still', 'attach'],
      ['port-forward still 8080', 'portforward'],
    ]) {
      const { code, error } = await kubectl(String(command));
      expect([code, error]).toEqual([1, expect.stringContaining(`does not support pods/${subresource}`)]);
    }
    expect((await kubectl('exec none -- true')).error).toContain('pods "none" not found');
    expect((await kubectl('top pods')).error).toBe('error: Metrics API not available\n');
    expect((await kubectl('create cronjob c --image=x:1 --schedule=@daily')).error).toContain(
      'the server could not find the requested resource',
    );
    await run('delete pod still');
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c' } };
    expect((await kubectl('apply -f -', claim)).error).toContain(
      'no matches for kind "PersistentVolumeClaim" in version "v1"',
    );
  });

  it('watches changes', async () => {
    const child = spawn('kubectl', ['get', 'cm', '-w', '--field-selector=metadata.name=w'], {
      env: environment(),
    });
    watches.add(child);
    const lines = new Promise<string>((resolve, reject) => {
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.split('\n').length === 4) resolve(text);
      });
      child.once('close', () => {
        reject(new Error(`the watch ended after ${text}`));
      });
    });
    await run('apply -f -', configMap('w', { x: '1' }));
    await run('apply -f -', configMap('w', { x: '1', y: '2' }));
    expect(await lines).toMatch(/^NAME +DATA +AGE\nw +1 +\d+s\nw +2 +\d+s\n$/);
  });
});
