import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]


def test_installs_from_its_folder_and_works_without_pyarrow(tmp_path):
    copy = tmp_path / "python"  # a build leaves files beside its sources
    shutil.copytree(FOLDER, copy, ignore=shutil.ignore_patterns("target", "build", "*.egg-info", "__pycache__"))
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*pip, "--target", tmp_path / "installed", copy], check=True)
    program = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import quiver, quiver.outputs\n"
        "assert quiver.__file__.startswith(sys.argv[1])\n"
        "assert quiver.outputs.encode({'x': 1}).length == 7\n"
    )
    subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], check=True, env={"PYTHONPATH": str(tmp_path / "installed")}
    )
