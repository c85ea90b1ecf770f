import type { ReactNode } from 'react';
import type { Flow } from '../../api/models';
import { t } from '../../i18n';
import { Dialog } from '../../ui';

export interface ApiDialogProps {
  flow: Flow;
  onClose: () => void;
}

export default function ApiDialog({ flow, onClose }: ApiDialogProps): ReactNode {
  return <Dialog open onClose={onClose} title={t('apicode.title', { name: flow.name })} size="large" />;
}
