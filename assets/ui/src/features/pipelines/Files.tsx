import { Download, FileText, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import {
  pipelineFileAddress,
  useDeletePipelineFile,
  usePipelineFiles,
  type PipelineFile,
} from '../../api/pipelines';
import { bytes } from '../../core/format';
import { t } from '../../i18n';
import {
  DeleteRecord,
  EmptyState,
  IconButton,
  Loaded,
  RelativeTime,
  Section,
  Table,
  type Column,
} from '../../ui';
import css from './Pipelines.module.css';
import { runAddress } from './run';

export interface FilesProps {
  flow: string;
  /** The run after which they are asked for. */
  after: string;
  mayDelete: boolean;
}

/** The files that the pipeline wrote, to take away and to delete. */
export function Files({ flow, after, mayDelete }: FilesProps): ReactNode {
  const files = usePipelineFiles(flow, after);
  const remove = useDeletePipelineFile(flow);
  const [deleting, setDeleting] = useState<string | null>(null);
  return (
    <Section title={t('pipelines.files')} description={t('pipelines.filesText')}>
      <Loaded query={files}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={FileText} title={t('pipelines.filesEmpty')}>
              {t('pipelines.filesEmptyText')}
            </EmptyState>
          ) : (
            <Table
              caption={t('pipelines.files')}
              columns={columnsOf(flow, mayDelete ? setDeleting : null)}
              rows={rows}
              rowKey={({ name }) => name}
            />
          )
        }
      </Loaded>
      {deleting !== null && (
        <DeleteRecord
          texts="pipelines"
          id={deleting}
          name={deleting}
          remove={remove}
          onClose={() => setDeleting(null)}
        />
      )}
    </Section>
  );
}

function columnsOf(flow: string, onDelete: ((name: string) => void) | null): Column<PipelineFile>[] {
  const columns: Column<PipelineFile>[] = [
    {
      id: 'name',
      header: t('pipelines.file'),
      cell: ({ name }) => (
        <a href={pipelineFileAddress(flow, name)} download={name} className={css.file}>
          <Download size={14} aria-hidden />
          <span className="sr-only">{t('pipelines.download', { name })}</span>
          <span aria-hidden>{name}</span>
        </a>
      ),
    },
    { id: 'size', header: t('pipelines.size'), align: 'end', cell: (file) => bytes(file.bytes) },
    {
      id: 'run',
      header: t('pipelines.run'),
      wideOnly: true,
      cell: ({ runId }) => <Link href={runAddress(flow, runId)}>{t('pipelines.openRun')}</Link>,
    },
    {
      id: 'date',
      header: t('pipelines.date'),
      align: 'end',
      wideOnly: true,
      cell: ({ date }) => <RelativeTime date={date} />,
    },
  ];
  if (onDelete)
    columns.push({
      id: 'tools',
      header: '',
      cell: ({ name }) => (
        <IconButton
          size="compact"
          icon={Trash2}
          label={t('pipelines.deleteFile', { name })}
          onClick={() => onDelete(name)}
        />
      ),
    });
  return columns;
}
