"""The command `course`, and JupyterLab on the workbook."""
