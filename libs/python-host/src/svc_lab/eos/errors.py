"""The errors of EOS."""


class EosDeviceError(Exception):
    pass


class EosDeviceStateError(EosDeviceError):
    pass


class EosDeviceInitializationError(EosDeviceError):
    pass


class EosDeviceCleanupError(EosDeviceError):
    pass


class EosResourceError(Exception):
    pass


class EosResourceStateError(EosResourceError):
    pass


class EosResourceAllocationError(EosResourceError):
    pass


class EosTaskError(Exception):
    pass


class EosTaskValidationError(EosTaskError):
    pass


class EosTaskInputResolutionError(EosTaskError):
    pass


class EosTaskStateError(EosTaskError):
    pass


class EosTaskExistsError(EosTaskError):
    pass


class EosTaskExecutionError(EosTaskError):
    pass


class EosTaskCancellationError(EosTaskError):
    pass


class EosTaskResourceAllocationError(EosTaskError):
    pass


class EosCampaignOptimizerDomainError(Exception):
    pass
