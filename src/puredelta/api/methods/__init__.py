"""The methods of `DeltaTable` in groups, each a function below the class."""
