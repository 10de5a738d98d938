import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError, Option } from 'commander';
import { startDevCluster } from './index.js';
import { pauseImage, readImageTable, workspaceImages } from './kubelet/process/image-file.js';

interface Flags {
  port: number;
  dataDir?: string;
  kubeconfig?: string;
  nodes: number;
  simulated: boolean;
  images?: string;
}

function port(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value < 65536) return value;
  throw new InvalidArgumentError('a port is a number from 0 to 65535');
}

const mostNodes = 100;

function nodeCount(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= mostNodes) return value;
  throw new InvalidArgumentError(`the number of nodes is from 0 to ${String(mostNodes)}`);
}

const flags = new Command('devcluster')
  .description('Serves an embedded Kubernetes API on 127.0.0.1 until SIGINT or SIGTERM.')
  .addOption(
    new Option('--port <number>', 'port to listen on; 0 takes any free one').argParser(port).default(0),
  )
  .option('--data-dir <folder>', 'keep everything in this folder; without it the state is in memory only')
  .option('--kubeconfig <file>', 'write an admin kubeconfig to this file')
  .addOption(
    new Option('--nodes <number>', 'nodes, which run the pods of known images as processes of this machine')
      .argParser(nodeCount)
      .default(1),
  )
  .option('--simulated', 'run no processes: pods of any image run and are ready at once', false)
  .option(
    '--images <file>',
    'YAML file with further images: a map from an image to its command, args and env',
  )
  .parse()
  .opts<Flags>();

/* The bundle is in tools/devcluster/dist. */
const workspace = fileURLToPath(new URL('../../..', import.meta.url));
const images = {
  ...pauseImage,
  ...workspaceImages(workspace),
  ...(flags.images === undefined ? {} : readImageTable(flags.images)),
};
const runtime = flags.simulated ? 'simulated' : 'process';

const cluster = await startDevCluster({
  images,
  port: flags.port,
  nodes: Array.from({ length: flags.nodes }, (_, index) => ({ name: `node-${String(index + 1)}`, runtime })),
  dataDir: flags.dataDir,
});
if (flags.kubeconfig !== undefined) cluster.writeKubeconfig(flags.kubeconfig);
process.stdout.write(`devcluster serves ${cluster.url}\n`);
if (flags.kubeconfig !== undefined) process.stdout.write(`export KUBECONFIG=${flags.kubeconfig}\n`);

await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await cluster.close();
