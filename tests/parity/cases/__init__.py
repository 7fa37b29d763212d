"""The scenarios: functions `case_<scenario>(t)`; see `recorder.Recorder` for `t`."""
