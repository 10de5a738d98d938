import { Option, type Command } from 'commander';
import { defaultResponderName } from '@interlock/responding';
import type { EventResponse } from '@interlock/api';
import { examples, type Run } from '../command.js';
import { usage } from '../exit.js';
import type { Io } from '../io.js';
import { list } from '../listing/list.js';
import { fileObjects } from '../manifest/files.js';
import { clusterObjects, type Objects } from '../manifest/objects.js';
import { dataText, type Format } from '../output/print.js';
import { progressOn } from '../output/progress.js';
import { collect, inSession, withConnection, withOutput, type ClusterOptions } from '../session.js';
import { exitCodeOf, explain, findResponse, type ExplainOptions } from './explain.js';
import { explanationText } from './text.js';
import { phases, responseView, type ResponseFilter } from './view.js';

interface ListFlags {
  labelSelector?: string;
  watch?: boolean;
  header: boolean;
}
type Cluster = ClusterOptions & { output: Format };
type ExplainFlags = Cluster & ExplainOptions & { filename?: string[] };

/** Adds all commands over responses to a command. */
export function addRespondCommands(root: Command, run: Run): void {
  addList(root, run);
  addExplain(root, run);
}

function addList(root: Command, { io, name }: Run): void {
  withOutput(withConnection(root.command('list')))
    .description('List the responses that become pull requests')
    .option('--responder-name <name>', 'only those for this responder')
    .addOption(new Option('--phase <phase>', 'only those in this phase').choices(phases))
    .option('-l, --label-selector <selector>', 'list the objects with these labels')
    .option('-w, --watch', 'then print what changes, until Ctrl-C')
    .option('--no-header', 'print no headers')
    .addHelpText('after', examples(name, '# What is not done yet', 'list --phase Running'))
    .action((options: Cluster & ResponseFilter & ListFlags) =>
      inSession(io, options, (session) => {
        const { labelSelector, watch, header } = options;
        return list(session, responseView(options), {
          header,
          ...(labelSelector !== undefined && { labelSelector }),
          ...(watch !== undefined && { watch }),
        });
      }),
    );
}

function addExplain(root: Command, { io, name, ended }: Run): void {
  withOutput(withConnection(root.command('explain')))
    .description(
      'Say which route a response takes and what comes of it; exit 0 when it is routed, 3 when it is not',
    )
    .argument('[response]', 'name of the EventResponse; not needed for the only one of files')
    .option('--config-namespace <name>', 'namespace of the configuration', 'ugallu-system')
    .option('--config <name>', 'the GitOpsResponderConfig (default the one that the responder uses)')
    .option('--responder-name <name>', 'as which responder', defaultResponderName)
    .option(
      '-f, --filename <file>',
      'read all objects from YAML files, and no cluster; may be repeated',
      collect,
    )
    .option('--dry-run', 'print the pull request, too; nothing is called')
    .option('--repo <path>', 'plan with the files of this local checkout of the repository')
    .option('--cluster-id <id>', 'as the responder has it, for templates', '')
    .option('--cluster-name <name>', 'as the responder has it, for templates', '')
    .addHelpText(
      'after',
      examples(
        name,
        '# Why is there no pull request?',
        'explain er-1',
        '# In a pipeline, without a cluster',
        'explain -f config.yaml -f event.yaml -f response.yaml --dry-run --repo .',
      ),
    )
    .action(async (response: string | undefined, options: ExplainFlags) => {
      const { filename } = options;
      const print = async (objects: Objects, found: EventResponse) => {
        const explanation = await explain(objects, found, options, io.now());
        const { output } = options;
        io.stdout(output === 'table' ? explanationText(explanation) : dataText(explanation, output));
        ended(exitCodeOf(explanation));
      };
      if (filename !== undefined) {
        const objects = await fileObjects(filename);
        await print(objects, withUid(io, await findResponse(objects, response)));
        return;
      }
      if (response === undefined) throw usage('name an EventResponse, or files with -f');
      await inSession(io, options, async (session) => {
        const objects = clusterObjects(session);
        await print(objects, await findResponse(objects, response));
      });
    });
}

const noUid = '00000000-0000-0000-0000-000000000000';

/** What is only a manifest has no UID yet, which names the branch. */
function withUid(io: Io, response: EventResponse): EventResponse {
  if ((response.metadata.uid ?? '') !== '') return response;
  progressOn(io).warning('the response has no metadata.uid yet; it is shown as zeros');
  return { ...response, metadata: { ...response.metadata, uid: noUid } };
}
